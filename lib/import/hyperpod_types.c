/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an instance of each type has. */
#include "import/hyperpod.h"

#include <stdlib.h>
#include <string.h>

#define GIB 1024

static const struct {
	const char *name; /* without "ml." */
	uint16_t gpus;
	uint16_t cpus;
	uint16_t memory; /* GiB */
	const char *model;
} accelerated[] = {
	{ "p4d.24xlarge", 8, 96, 1152, "a100" },
	{ "p4de.24xlarge", 8, 96, 1152, "a100" },
	{ "p5.4xlarge", 1, 16, 256, "h100" },
	{ "p5.48xlarge", 8, 192, 2048, "h100" },
	{ "p5e.48xlarge", 8, 192, 2048, "h200" },
	{ "p5en.48xlarge", 8, 192, 2048, "h200" },
	{ "p6-b200.48xlarge", 8, 192, 2048, "b200" },
	{ "p6-b300.48xlarge", 8, 192, 4096, "b300" },
	{ "p6e-gb200.36xlarge", 4, 144, 960, "gb200" },
	{ "p3dn.24xlarge", 8, 96, 768, "v100" },
	{ "trn1.2xlarge", 1, 8, 32, NULL },
	{ "trn1.32xlarge", 16, 128, 512, NULL },
	{ "trn1n.32xlarge", 16, 128, 512, NULL },
	{ "trn2.48xlarge", 16, 192, 2048, NULL },
	{ "gr6.4xlarge", 1, 16, 128, "l4" },
	{ "gr6.8xlarge", 1, 32, 256, "l4" },
};

/* Families in which memory goes by processors. */
static const struct {
	const char *name;
	uint16_t per_cpu;  /* GiB */
	const char *model; /* NULL: without GPUs */
} families[] = {
	{ "g5", 4, "a10g" }, { "g6", 4, "l4" },	 { "g6e", 8, "l40s" },
	{ "c5", 2, NULL },   { "c6i", 2, NULL }, { "c7i", 2, NULL },
	{ "m5", 4, NULL },   { "m6i", 4, NULL }, { "m7i", 4, NULL },
	{ "r5", 8, NULL },   { "r6i", 8, NULL }, { "r7i", 8, NULL },
	{ "i3en", 8, NULL },
};

/* Processors of "large", "xlarge", "12xlarge"; 0: no such size. */
static uint64_t cpus_of(const char *size)
{
	char *end;
	unsigned long n = 1;

	if (!strcmp(size, "large"))
		return 2;
	if (*size >= '1' && *size <= '9') {
		n = strtoul(size, &end, 10);
		size = end;
	}
	return strcmp(size, "xlarge") || n > 48 ? 0 : 4 * n;
}

/* GPUs of a G instance: four of 12 and 24, eight of 48, else one. */
static uint64_t gpus_of(uint64_t cpus)
{
	if (cpus == 192)
		return 8;
	return cpus == 48 || cpus == 96 ? 4 : 1;
}

static bool of_family(const char *name, struct hp_shape *shape)
{
	size_t length = strcspn(name, ".");
	uint64_t cpus = name[length] ? cpus_of(name + length + 1) : 0;

	for (size_t i = 0; cpus && i < sizeof(families) / sizeof(*families);
	     i++) {
		if (strlen(families[i].name) != length ||
		    strncmp(families[i].name, name, length) != 0)
			continue;
		shape->model = families[i].model;
		shape->gpus = shape->model ? gpus_of(cpus) : 0;
		shape->cpus = cpus;
		shape->memory = cpus * families[i].per_cpu * GIB;
		return true;
	}
	return false;
}

bool hp_find_shape(const char *type, struct hp_shape *shape)
{
	const char *name = type + strlen("ml.");

	*shape = (struct hp_shape){ 0 };
	for (size_t i = 0; i < sizeof(accelerated) / sizeof(*accelerated);
	     i++) {
		if (strcmp(accelerated[i].name, name) != 0)
			continue;
		shape->gpus = accelerated[i].gpus;
		shape->cpus = accelerated[i].cpus;
		shape->memory = (uint64_t) accelerated[i].memory * GIB;
		shape->model = accelerated[i].model;
		return true;
	}
	return of_family(name, shape);
}

unsigned hp_slices_of(const char *profile)
{
	unsigned slices, memory;
	int end = 0;

	if (sscanf(profile, "%1ug.%3ugb%n", &slices, &memory, &end) != 2 ||
	    !end || profile[end] || *profile < '1' || *profile > '7' ||
	    profile[3] < '1' || profile[3] > '9')
		return 0;
	return slices;
}

size_t hp_find_type(struct hp_reader *reader, const char *name)
{
	struct gov_import *import = reader->import;
	struct hp_type *type;

	for (size_t i = 0; i < import->types; i++)
		if (!strcmp(import->type[i].name, name))
			return i;
	if (import->types == HP_TYPES_MAX) {
		hp_fail(reader, "there are more than %d instance types",
			HP_TYPES_MAX);
		return SIZE_MAX;
	}
	type = hp_append(import, &import->type, &import->types, sizeof(*type));
	if (!type) {
		hp_fail(reader, "out of memory");
		return SIZE_MAX;
	}
	snprintf(type->name, sizeof(type->name), "%s", name);
	type->known = hp_find_shape(name, &type->shape);
	return import->types - 1;
}
