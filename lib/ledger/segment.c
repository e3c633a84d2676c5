/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/segment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zstd.h>

#include "core/array.h"

#define PATH_SIZE 4352
#define LOAD_MAX (UINT64_C(4) << 30)

static void path_of(char *path, const char *directory, const char *name)
{
	snprintf(path, PATH_SIZE, "%s/%s", directory, name);
}

/* ---- names ---- */

void gov_segment_name(struct gov_segment *segment)
{
	snprintf(segment->name, sizeof(segment->name),
		 "%012" PRIu64 "-%06" PRIu64 ".log%s", segment->first,
		 segment->epoch, segment->compressed ? ".zst" : "");
}

static bool read_name(const char *name, struct gov_segment *segment)
{
	size_t length = strlen(name);

	if (sscanf(name, "%" SCNu64 "-%" SCNu64, &segment->first,
		   &segment->epoch) != 2 ||
	    length >= sizeof(segment->name))
		return false;
	segment->compressed = length > 4 &&
			      strcmp(name + length - 4, ".zst") == 0;
	gov_segment_name(segment);
	return strcmp(segment->name, name) == 0;
}

static int by_place(const void *left, const void *right)
{
	const struct gov_segment *a = left, *b = right;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (a->epoch != b->epoch)
		return a->epoch < b->epoch ? -1 : 1;
	return a->compressed - b->compressed;
}

/* Where a crash left a file in both forms, the original counts. */
static void drop_twins(struct gov_segments *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (kept && list->item[kept - 1].first == list->item[i].first &&
		    list->item[kept - 1].epoch == list->item[i].epoch)
			continue;
		list->item[kept++] = list->item[i];
	}
	list->count = kept;
}

static int read_names(DIR *dir, struct gov_segments *list)
{
	struct dirent *entry;

	while ((entry = readdir(dir))) {
		struct gov_segment segment, *grown;

		if (!read_name(entry->d_name, &segment))
			continue;
		grown = gov_array_room(list->item, list->count, sizeof(*grown));
		if (!grown)
			return -1;
		list->item = grown;
		list->item[list->count++] = segment;
	}
	return 0;
}

int gov_segments_list(const char *directory, struct gov_segments *list,
		      struct gov_error *error)
{
	DIR *dir = opendir(directory);
	int rc;

	*list = (struct gov_segments){ 0 };
	if (!dir && errno == ENOENT)
		return 0;
	if (!dir)
		return gov_error_set(error, GOV_E_IO, "cannot read %s: %s",
				     directory, strerror(errno));
	rc = read_names(dir, list);
	closedir(dir);
	if (rc) {
		gov_segments_free(list);
		return gov_error_set(error, GOV_E_NOMEM,
				     "no memory for the list of files");
	}
	if (list->count)
		qsort(list->item, list->count, sizeof(*list->item), by_place);
	drop_twins(list);
	return 0;
}

void gov_segments_free(struct gov_segments *list)
{
	free(list->item);
	*list = (struct gov_segments){ 0 };
}

/* ---- reading ---- */

static int read_all(int fd, char *data, size_t size, size_t *length)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = read(fd, data + done, size - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		done += (size_t) got;
	}
	data[done] = '\0';
	*length = done;
	return 0;
}

static int read_file(const char *path, char **data, size_t *length,
		     struct gov_error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat info;
	int rc = -1;

	*data = NULL;
	if (fd >= 0 && !fstat(fd, &info) &&
	    (uint64_t) info.st_size <= LOAD_MAX) {
		*data = malloc((size_t) info.st_size + 1);
		if (*data)
			rc = read_all(fd, *data, (size_t) info.st_size, length);
	}
	if (rc)
		gov_error_set(error, GOV_E_IO, "cannot read %s: %s", path,
			      strerror(errno));
	if (fd >= 0)
		close(fd);
	if (rc) {
		free(*data);
		*data = NULL;
	}
	return rc;
}

/*
 * The frame is ours: one, with its size, and a checksum of the content.  The
 * one bit that decoders are free to overlook is not overlooked here.
 */
static int decompress(const char *path, char **data, size_t *length,
		      struct gov_error *error)
{
	unsigned long long size = ZSTD_getFrameContentSize(*data, *length);
	size_t frame = ZSTD_findFrameCompressedSize(*data, *length), got;
	char *plain;

	if (size == ZSTD_CONTENTSIZE_UNKNOWN ||
	    size == ZSTD_CONTENTSIZE_ERROR || size > LOAD_MAX ||
	    ZSTD_isError(frame) || frame != *length ||
	    ((*data)[4] & 0x1c) != 0x04)
		return gov_error_set(error, GOV_E_VALUE,
				     "%s is damaged: no frame of ours", path);
	plain = malloc((size_t) size + 1);
	if (!plain)
		return gov_error_set(error, GOV_E_NOMEM, "no memory for %s",
				     path);
	got = ZSTD_decompress(plain, (size_t) size, *data, *length);
	if (ZSTD_isError(got) || got != size) {
		free(plain);
		return gov_error_set(error, GOV_E_VALUE, "%s is damaged: %s",
				     path, ZSTD_getErrorName(got));
	}
	plain[size] = '\0';
	free(*data);
	*data = plain;
	*length = (size_t) size;
	return 0;
}

int gov_segment_load(const char *directory, const struct gov_segment *segment,
		     char **data, size_t *length, uint8_t *digest,
		     struct gov_error *error)
{
	bool compressed = segment->compressed;
	char path[PATH_SIZE];

	path_of(path, directory, segment->name);
	/* It may have been closed and compressed since it was listed. */
	if (!compressed && access(path, F_OK) && errno == ENOENT) {
		strcat(path, ".zst");
		compressed = true;
	}
	if (read_file(path, data, length, error))
		return -1;
	if (digest)
		gov_digest_of(*data, *length, digest);
	if (!compressed || !decompress(path, data, length, error))
		return 0;
	free(*data);
	*data = NULL;
	return -1;
}

/* ---- writing ---- */

int gov_sync_directory(const char *directory)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return -1;
	rc = fsync(fd);
	close(fd);
	return rc;
}

static int write_all(int fd, const char *data, size_t length)
{
	while (length) {
		ssize_t put = write(fd, data, length);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -1;
		data += put;
		length -= (size_t) put;
	}
	return 0;
}

/* A whole file under a new name, durable before it gets its own. */
static int write_file(const char *directory, const char *name, const char *data,
		      size_t length, struct gov_error *error)
{
	char path[PATH_SIZE], new[PATH_SIZE + 8];
	int fd, rc;

	path_of(path, directory, name);
	snprintf(new, sizeof(new), "%s.new", path);
	fd = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	rc = fd < 0 || write_all(fd, data, length) || fsync(fd) ? -1 : 0;
	if (fd >= 0 && close(fd))
		rc = -1;
	if (!rc && !rename(new, path) && !gov_sync_directory(directory))
		return 0;
	gov_error_set(error, GOV_E_IO, "cannot write %s: %s", path,
		      strerror(errno));
	unlink(new);
	return -1;
}

static char *compress(const char *data, size_t length, size_t *size)
{
	size_t bound = ZSTD_compressBound(length);
	ZSTD_CCtx *context = ZSTD_createCCtx();
	char *packed = malloc(bound);
	size_t rc = 0;

	if (context && packed) {
		ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
		rc = ZSTD_compress2(context, packed, bound, data, length);
	}
	ZSTD_freeCCtx(context);
	if (!packed || !context || ZSTD_isError(rc)) {
		free(packed);
		return NULL;
	}
	*size = rc;
	return packed;
}

int gov_segment_compress(const char *directory, struct gov_segment *segment,
			 uint8_t *digest, struct gov_error *error)
{
	struct gov_segment packed = *segment;
	char *data, *small, path[PATH_SIZE];
	size_t length, size;
	int rc;

	if (gov_segment_load(directory, segment, &data, &length, NULL, error))
		return -1;
	small = compress(data, length, &size);
	free(data);
	if (!small)
		return gov_error_set(error, GOV_E_NOMEM,
				     "no memory to compress %s", segment->name);
	gov_digest_of(small, size, digest);
	packed.compressed = true;
	gov_segment_name(&packed);
	rc = write_file(directory, packed.name, small, size, error);
	free(small);
	if (rc)
		return -1;
	path_of(path, directory, segment->name);
	unlink(path);
	*segment = packed;
	return 0;
}

/* ---- small files ---- */

/* 0; 1: there is none; -1. */
static int read_line(const char *directory, const char *name, char *line,
		     size_t size, struct gov_error *error)
{
	char path[PATH_SIZE];
	ssize_t length;
	int fd;

	path_of(path, directory, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return 1;
	length = fd < 0 ? -1 : read(fd, line, size - 1);
	if (length < 0)
		gov_error_set(error, GOV_E_IO, "cannot read %s: %s", path,
			      strerror(errno));
	if (fd >= 0)
		close(fd);
	if (length < 0)
		return -1;
	line[length] = '\0';
	return 0;
}

#define HEAD_FORMAT "%020" PRIu64 " %.64s\n"
#define HEAD_SIZE (20 + 1 + GOV_HASH_TEXT + 1)

int gov_head_read(const char *directory, struct gov_chain *head,
		  struct gov_error *error)
{
	char line[HEAD_SIZE + 2], again[HEAD_SIZE + 2], hash[GOV_HASH_TEXT];
	int rc = read_line(directory, "head", line, sizeof(line), error);

	*head = (struct gov_chain){ 0 };
	if (rc)
		return rc;
	if (strlen(line) == HEAD_SIZE &&
	    sscanf(line, "%" SCNu64, &head->seq) == 1 &&
	    gov_digest_read(line + 21, head->hash)) {
		gov_digest_text(head->hash, hash);
		snprintf(again, sizeof(again), HEAD_FORMAT, head->seq, hash);
		if (strcmp(line, again) == 0)
			return 0;
	}
	return gov_error_set(error, GOV_E_VALUE, "%s/head is damaged",
			     directory);
}

/* In place: as long as a sector, it is old or new.  Not synced: it tells of
 * records that went missing, it is not needed to find those that did not. */
int gov_head_write(const char *directory, const struct gov_chain *head)
{
	char path[PATH_SIZE], line[HEAD_SIZE + 1], hash[GOV_HASH_TEXT];
	ssize_t put;
	int fd;

	path_of(path, directory, "head");
	gov_digest_text(head->hash, hash);
	snprintf(line, sizeof(line), HEAD_FORMAT, head->seq, hash);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	put = pwrite(fd, line, HEAD_SIZE, 0);
	if (put >= 0 && put != HEAD_SIZE)
		errno = ENOSPC;
	return close(fd) || put != HEAD_SIZE ? -1 : 0;
}

int gov_epoch_read(const char *directory, uint64_t *epoch,
		   struct gov_error *error)
{
	char line[32];
	int rc = read_line(directory, "epoch", line, sizeof(line), error);

	*epoch = 0;
	if (rc)
		return rc;
	if (sscanf(line, "%" SCNu64, epoch) == 1)
		return 0;
	return gov_error_set(error, GOV_E_VALUE, "%s/epoch is damaged",
			     directory);
}

int gov_epoch_write(const char *directory, uint64_t epoch,
		    struct gov_error *error)
{
	char line[32];
	int length = snprintf(line, sizeof(line), "%" PRIu64 "\n", epoch);

	return write_file(directory, "epoch", line, (size_t) length, error);
}
