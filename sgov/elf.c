/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sgov/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file in memory; every access is checked against its size. */
struct image {
	const unsigned char *data;
	size_t size;
};

static const void *at(const struct image *image, uint64_t offset,
		      uint64_t length)
{
	if (offset > image->size || length > image->size - offset)
		return NULL;
	return image->data + offset;
}

static int section_at(const struct image *image, const ElfW(Ehdr) *header,
		      uint64_t index, ElfW(Shdr) *section)
{
	const void *p;

	if (index >= header->e_shnum || header->e_shentsize != sizeof(*section))
		return -1;
	p = at(image, header->e_shoff + index * sizeof(*section),
	       sizeof(*section));
	if (!p)
		return -1;
	memcpy(section, p, sizeof(*section));
	return 0;
}

static int read_symbol(const struct image *image, const ElfW(Ehdr) *header,
		       const ElfW(Sym) *symbol, uint32_t *value)
{
	ElfW(Shdr) home;
	const void *p;

	if (symbol->st_size != sizeof(*value) ||
	    section_at(image, header, symbol->st_shndx, &home) < 0 ||
	    home.sh_type == SHT_NOBITS || symbol->st_value < home.sh_addr)
		return -1;
	p = at(image, symbol->st_value - home.sh_addr + home.sh_offset,
	       sizeof(*value));
	if (!p)
		return -1;
	memcpy(value, p, sizeof(*value));
	return 0;
}

static int search_symbols(const struct image *image, const ElfW(Ehdr) *header,
			  const ElfW(Shdr) *symbols, const char *name,
			  uint32_t *value)
{
	uint64_t count = symbols->sh_size / sizeof(ElfW(Sym));
	const void *table = at(image, symbols->sh_offset, symbols->sh_size);
	ElfW(Shdr) strings;
	const char *text;

	if (!table || section_at(image, header, symbols->sh_link, &strings) < 0)
		return -1;
	text = at(image, strings.sh_offset, strings.sh_size);
	for (uint64_t i = 0; text && i < count; i++) {
		ElfW(Sym) symbol;
		size_t length = strlen(name) + 1;

		memcpy(&symbol, (const char *) table + i * sizeof(symbol),
		       sizeof(symbol));
		if (symbol.st_name < strings.sh_size &&
		    length <= strings.sh_size - symbol.st_name &&
		    memcmp(text + symbol.st_name, name, length) == 0)
			return read_symbol(image, header, &symbol, value);
	}
	return -1;
}

static int search_image(const struct image *image, const char *name,
			uint32_t *value)
{
	const int class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
	const void *p = at(image, 0, sizeof(ElfW(Ehdr)));
	ElfW(Ehdr) header;

	if (!p || memcmp(p, ELFMAG, SELFMAG) != 0)
		return -1;
	memcpy(&header, p, sizeof(header));
	if (header.e_ident[EI_CLASS] != class)
		return -1;
	for (uint64_t i = 0; i < header.e_shnum; i++) {
		ElfW(Shdr) section;

		if (section_at(image, &header, i, &section) == 0 &&
		    section.sh_type == SHT_DYNSYM)
			return search_symbols(image, &header, &section, name,
					      value);
	}
	return -1;
}

int sgov_elf_constant(const char *path, const char *name, uint32_t *value)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct image image;
	struct stat st;
	int rc = -1;
	void *data;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
		data = mmap(NULL, (size_t) st.st_size, PROT_READ, MAP_PRIVATE,
			    fd, 0);
		if (data != MAP_FAILED) {
			image.data = data;
			image.size = (size_t) st.st_size;
			rc = search_image(&image, name, value);
			munmap(data, image.size);
		}
	}
	close(fd);
	return rc;
}
