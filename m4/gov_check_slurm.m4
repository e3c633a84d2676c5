# SPDX-License-Identifier: GPL-2.0-or-later
# GOV_CHECK_SLURM: find Slurm's public headers, libslurm and plugin directory.
AC_DEFUN([GOV_CHECK_SLURM], [
AC_ARG_WITH([slurm],
	[AS_HELP_STRING([--with-slurm=PREFIX],
		[where Slurm is installed @<:@/usr@:>@])],
	[], [with_slurm=/usr])
AC_ARG_WITH([slurm-plugindir],
	[AS_HELP_STRING([--with-slurm-plugindir=DIR],
		[Slurm's PluginDir, for our plugins @<:@found@:>@])],
	[], [with_slurm_plugindir=])

slurm_includedir="$with_slurm/include"
SLURM_CPPFLAGS=
SLURM_LIBS=-lslurm
AS_IF([test "x$with_slurm" != x/usr],
	[SLURM_CPPFLAGS="-I$slurm_includedir"
	 SLURM_LIBS="-L$with_slurm/lib -lslurm"])

slurm_version=unknown
AS_IF([test -f "$slurm_includedir/slurm/slurm.h" &&
       test -f "$slurm_includedir/slurm/spank.h"],
	[AC_MSG_CHECKING([for the version of Slurm's headers])
	 slurm_number=`sed -n 's/^#define SLURM_VERSION_NUMBER[[ \t]]*//p' "$slurm_includedir/slurm/slurm_version.h" 2>/dev/null`
	 AS_IF([test -n "$slurm_number"],
		[slurm_version=`printf '%d.%02d.%d' $(( (slurm_number >> 16) & 255 )) $(( (slurm_number >> 8) & 255 )) $(( slurm_number & 255 ))`])
	 AC_MSG_RESULT([$slurm_version])],
	[GOV_MISSING([Slurm's headers below $slurm_includedir (see --with-slurm)], [libslurm-dev])])

AC_MSG_CHECKING([for Slurm's plugin directory])
slurm_plugindir="$with_slurm_plugindir"
AS_IF([test -z "$slurm_plugindir"],
	[slurm_multiarch=`$CC -print-multiarch 2>/dev/null`
	 for dir in "$with_slurm/lib/$slurm_multiarch/slurm-wlm" \
		    "$with_slurm/lib/$slurm_multiarch/slurm" \
		    "$with_slurm/lib64/slurm" "$with_slurm/lib/slurm"; do
		AS_IF([test -d "$dir"], [slurm_plugindir="$dir"; break])
	 done])
AS_IF([test -n "$slurm_plugindir"], [AC_MSG_RESULT([$slurm_plugindir])],
	[AC_MSG_RESULT([not found])
	 GOV_MISSING([Slurm's plugin directory (see --with-slurm-plugindir)], [slurm-wlm-basic-plugins])])
AC_SUBST([SLURM_CPPFLAGS])
AC_SUBST([SLURM_LIBS])
AC_SUBST([slurm_plugindir])
AC_SUBST([slurm_version])
])
