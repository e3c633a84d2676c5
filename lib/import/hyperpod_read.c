/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Objects of the AWS API, as they are created, described and listed. */
#include "import/hyperpod.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The last part of an ARN, or of an id the whole. */
static const char *last_part(const char *arn)
{
	const char *slash = strrchr(arn, '/');

	return slash ? slash + 1 : arn;
}

/* 1: of the cluster that is asked for; 0: of another; -1: of a second one. */
static int of_cluster(struct hp_reader *reader,
		      const struct json_object *object)
{
	struct gov_import *import = reader->import;
	const char *arn = NULL;

	if (hp_text(reader, object, "ClusterArn", &arn))
		return -1;
	if (!arn)
		return 1;
	if (import->wanted)
		return !strcmp(last_part(import->wanted), last_part(arn));
	if (!import->cluster) {
		import->cluster = strdup(arn);
		return import->cluster ? 1 : hp_fail(reader, "out of memory");
	}
	if (!strcmp(last_part(import->cluster), last_part(arn)))
		return 1;
	return hp_fail(
		reader,
		"it is of the cluster %.60s, others are of %.60s: choose one with --cluster",
		last_part(arn), last_part(import->cluster));
}

/* Is it on its way out?  Tells of changes that failed. */
static int is_gone(struct hp_reader *reader, const struct json_object *object)
{
	const char *status = NULL;

	if (hp_text(reader, object, "Status", &status))
		return -1;
	if (!status)
		return 0;
	if (!strcmp(status, "Deleted") || !strcmp(status, "Deleting")) {
		hp_note(reader->import, "%s is left out: its status is %s",
			reader->object, status);
		return 1;
	}
	if (strstr(status, "Failed"))
		hp_note(reader->import,
			"%s has the status %.40s: what is written here may not be in force there",
			reader->object, status);
	return 0;
}

/* 1: of the cluster that is asked for, and in use; 0: not; -1. */
static int is_meant(struct hp_reader *reader, const struct json_object *object)
{
	int rc = of_cluster(reader, object);

	if (rc <= 0)
		return rc;
	rc = is_gone(reader, object);
	return rc < 0 ? -1 : !rc;
}

/* Members that nothing here reads, but for those that are no setting. */
static void tell_unknown(struct hp_reader *reader, struct json_object *object,
			 const char *const *known)
{
	if (!object)
		return;
	json_object_object_foreach(object, key, value)
	{
		unsigned i = 0;

		(void) value;
		while (known[i] && strcmp(known[i], key))
			i++;
		if (!known[i])
			hp_note(reader->import,
				"%s: %.60s has no counterpart here",
				reader->object, key);
	}
}

static int copy_text(struct hp_reader *reader, const char *text, char **copy)
{
	free(*copy);
	*copy = strdup(text);
	return *copy ? 0 : hp_fail(reader, "out of memory");
}

/* Which object it is: its id, else its ARN, else its name. */
static int read_identity(struct hp_reader *reader,
			 const struct json_object *object, const char *kind,
			 const char **id, int64_t *version)
{
	static const char *const ends[] = { "Arn", "Id" };
	char key[64];
	uint64_t number = 0;

	*id = NULL;
	if (hp_text(reader, object, "Name", id))
		return -1;
	snprintf(reader->object, sizeof(reader->object), "%s %.80s", kind,
		 *id ? *id : "without a name");
	for (int i = 0; i < 2; i++) {
		snprintf(key, sizeof(key), "%s%s", kind, ends[i]);
		if (hp_text(reader, object, key, id))
			return -1;
	}
	if (*id)
		*id = last_part(*id);
	snprintf(key, sizeof(key), "%sVersion", kind);
	if (hp_whole(reader, object, key, HP_NUMBER_MAX, &number))
		return -1;
	*version = (int64_t) number;
	return 0;
}

/* ---- ComputeQuota ---- */

static int read_slices(struct hp_reader *reader,
		       const struct json_object *object,
		       const struct hp_type *type, struct hp_amounts *amounts)
{
	char name[HP_NAME] = "";
	struct json_object *partition = NULL;
	const char *profile;
	uint64_t count = 0;
	unsigned i = 0;

	if (hp_object(reader, object, "AcceleratorPartition", &partition))
		return -1;
	if (!partition)
		return 0;
	if (hp_name(reader, partition, "Type", true, name) ||
	    hp_whole(reader, partition, "Count", HP_NUMBER_MAX, &count))
		return -1;
	if (!hp_slices_of(name + strnlen(name, 4)) || strncmp(name, "mig-", 4))
		return hp_fail(reader,
			       "Type must be such as mig-3g.40gb, not '%s'",
			       name);
	if (!type->known || !type->shape.model)
		return hp_fail(
			reader,
			"%s is not known to have GPUs that are split, so their parts cannot be counted",
			type->name);
	profile = name + 4;
	while (i < amounts->profiles &&
	       strcmp(amounts->slices[i].profile, profile))
		i++;
	if (i == HP_PROFILES)
		return hp_fail(reader, "more than %d kinds of partitions",
			       HP_PROFILES);
	if (i == amounts->profiles) {
		snprintf(amounts->slices[i].profile, HP_NAME, "%s", profile);
		amounts->profiles++;
	}
	amounts->slices[i].count += count;
	return 0;
}

/* Whole instances, for what of them is not stated by itself. */
static int read_count(struct hp_reader *reader,
		      const struct json_object *object,
		      const struct hp_type *type, struct hp_amounts *amounts)
{
	uint64_t count = 0;

	if (!hp_member(object, "Count"))
		return 0;
	if (hp_whole(reader, object, "Count", HP_NODES_MAX, &count))
		return -1;
	if (!type->known) {
		amounts->said_nodes = true;
		amounts->nodes += count;
		return 0;
	}
	if (type->shape.gpus && !hp_member(object, "Accelerators")) {
		amounts->said_gpus = true;
		amounts->gpus += count * type->shape.gpus;
		return 0; /* the others follow from that */
	}
	if (!hp_member(object, "VCpu")) {
		amounts->said_cpus = true;
		amounts->cpus += count * type->shape.cpus;
	}
	if (!hp_member(object, "MemoryInGiB")) {
		amounts->said_memory = true;
		amounts->memory += count * type->shape.memory;
	}
	return 0;
}

static int read_amounts(struct hp_reader *reader, struct json_object *object,
			const struct hp_type *type, struct hp_amounts *amounts)
{
	static const char *const known[] = { "InstanceType",
					     "Count",
					     "Accelerators",
					     "VCpu",
					     "MemoryInGiB",
					     "AcceleratorPartition",
					     NULL };

	amounts->entries++;
	tell_unknown(reader, object, known);
	if (read_count(reader, object, type, amounts) ||
	    hp_whole(reader, object, "Accelerators", HP_NUMBER_MAX,
		     &(uint64_t){ 0 }) ||
	    hp_amount(reader, object, "Accelerators", 1, &amounts->said_gpus,
		      &amounts->gpus) ||
	    hp_amount(reader, object, "VCpu", 1, &amounts->said_cpus,
		      &amounts->cpus) ||
	    hp_amount(reader, object, "MemoryInGiB", 1024,
		      &amounts->said_memory, &amounts->memory))
		return -1;
	if (type->known && !type->shape.gpus && amounts->gpus)
		return hp_fail(reader, "%s has no accelerators", type->name);
	if (type->known && !type->shape.gpus)
		amounts->said_gpus = false;
	return read_slices(reader, object, type, amounts);
}

static struct hp_share *find_share(struct hp_reader *reader,
				   struct hp_team *team, size_t type)
{
	struct hp_share *share;

	for (size_t i = 0; i < team->shares; i++)
		if (team->share[i].type == type)
			return &team->share[i];
	share = hp_append(reader->import, &team->share, &team->shares,
			  sizeof(*share));
	if (!share) {
		hp_fail(reader, "out of memory");
		return NULL;
	}
	share->type = type;
	return share;
}

/* The object's InstanceType. */
static int read_type(struct hp_reader *reader, const struct json_object *object,
		     size_t *type)
{
	char name[HP_NAME] = "";

	if (hp_name(reader, object, "InstanceType", true, name))
		return -1;
	if (strncmp(name, "ml.", 3) || !name[3])
		return hp_fail(reader, "InstanceType '%s' is none of ml.*",
			       name);
	*type = hp_find_type(reader, name);
	return *type == SIZE_MAX ? -1 : 0;
}

/* ComputeQuotaResources, or AbsoluteBorrowLimits. */
static int read_resources(struct hp_reader *reader,
			  const struct json_object *object, const char *key,
			  bool limit, struct hp_team *team)
{
	struct json_object *list = NULL;

	if (hp_list(reader, object, key, &list))
		return -1;
	for (size_t i = 0; list && i < json_object_array_length(list); i++) {
		struct json_object *item = json_object_array_get_idx(list, i);
		struct hp_share *share;
		size_t type;

		if (read_type(reader, item, &type))
			return -1;
		share = find_share(reader, team, type);
		if (!share ||
		    read_amounts(reader, item, &reader->import->type[type],
				 limit ? &share->limit : &share->quota))
			return -1;
		if (limit && hp_member(item, "Count"))
			hp_fill_ratio(&reader->import->type[type],
				      &share->limit);
	}
	return 0;
}

static int read_sharing(struct hp_reader *reader,
			const struct json_object *config, struct hp_team *team)
{
	static const char *const strategies[] = { "LendAndBorrow", "Lend",
						  "DontLend", NULL };
	static const char *const known[] = { "Strategy", "BorrowLimit",
					     "AbsoluteBorrowLimits", NULL };
	struct json_object *sharing = NULL;
	uint64_t percent = 50;
	unsigned strategy = HP_LEND_AND_BORROW;

	if (hp_object(reader, config, "ResourceSharingConfig", &sharing))
		return -1;
	tell_unknown(reader, sharing, known);
	if (sharing &&
	    (hp_word(reader, sharing, "Strategy", strategies, &strategy) ||
	     hp_whole(reader, sharing, "BorrowLimit", 10000, &percent) ||
	     read_resources(reader, sharing, "AbsoluteBorrowLimits", true,
			    team)))
		return -1;
	team->strategy = (enum hp_strategy) strategy;
	team->borrow_limit = (unsigned) percent;
	return 0;
}

static int read_config(struct hp_reader *reader,
		       const struct json_object *object, struct hp_team *team)
{
	static const char *const preempt[] = { "LowerPriority", "Never", NULL };
	static const char *const states[] = { "Enabled", "Disabled", NULL };
	static const char *const of_target[] = { "TeamName", "FairShareWeight",
						 NULL };
	static const char *const of_config[] = { "ComputeQuotaResources",
						 "ResourceSharingConfig",
						 "PreemptTeamTasks", NULL };
	struct json_object *config = NULL, *target = NULL;
	unsigned never = 0, disabled = 0;
	uint64_t weight = 0;

	if (hp_object(reader, object, "ComputeQuotaTarget", &target) ||
	    hp_object(reader, object, "ComputeQuotaConfig", &config))
		return -1;
	if (!target)
		return hp_fail(reader, "ComputeQuotaTarget is missing");
	tell_unknown(reader, target, of_target);
	tell_unknown(reader, config, of_config);
	if (hp_name(reader, target, "TeamName", false, team->name) ||
	    hp_whole(reader, target, "FairShareWeight", 100, &weight) ||
	    hp_word(reader, object, "ActivationState", states, &disabled) ||
	    read_sharing(reader, config, team) ||
	    read_resources(reader, config, "ComputeQuotaResources", false,
			   team) ||
	    hp_word(reader, config, "PreemptTeamTasks", preempt, &never))
		return -1;
	team->weight = (unsigned) weight;
	team->disabled = disabled;
	team->keeps_own = never;
	return 0;
}

/* The same object again: the higher version counts.  NULL: it is older. */
static struct hp_team *place_team(struct hp_reader *reader, const char *id,
				  int64_t version, int *rc)
{
	struct gov_import *import = reader->import;
	struct hp_team *team;
	char *description;

	*rc = 0;
	for (size_t i = 0; id && i < import->teams; i++) {
		team = &import->team[i];
		if (!team->id || strcmp(team->id, id))
			continue;
		if (version < team->version)
			return NULL;
		/* A list has no descriptions. */
		description = NULL;
		if (version == team->version)
			description = team->description;
		else
			free(team->description);
		free(team->title);
		free(team->id);
		free(team->share);
		memset(team, 0, sizeof(*team));
		team->description = description;
		return team;
	}
	if (import->teams == HP_TEAMS_MAX)
		*rc = hp_fail(reader, "there are more than %d of them",
			      HP_TEAMS_MAX);
	team = *rc ? NULL :
		     hp_append(import, &import->team, &import->teams,
			       sizeof(*team));
	if (!team && !*rc)
		*rc = hp_fail(reader, "out of memory");
	return team;
}

static int check_alone(struct hp_reader *reader, const struct hp_team *team)
{
	struct gov_import *import = reader->import;

	for (size_t i = 0; i < import->teams; i++) {
		const struct hp_team *other = &import->team[i];

		if (other != team && !strcmp(other->name, team->name))
			return hp_fail(
				reader,
				"the team %s has another quota, %.80s; give one of them",
				team->name, other->title);
	}
	return 0;
}

static int read_quota(struct hp_reader *reader, struct json_object *object)
{
	static const char *const known[] = {
		"ActivationState",  "ClusterArn",
		"ComputeQuotaArn",  "ComputeQuotaConfig",
		"ComputeQuotaId",   "ComputeQuotaTarget",
		"CreatedBy",	    "ComputeQuotaVersion",
		"CreationTime",	    "Description",
		"FailureReason",    "LastModifiedBy",
		"LastModifiedTime", "Name",
		"ResponseMetadata", "Status",
		"TargetVersion",    NULL
	};
	const char *id, *title = "without a name", *description = NULL;
	struct hp_team *team;
	int64_t version;
	int rc;

	if (read_identity(reader, object, "ComputeQuota", &id, &version))
		return -1;
	rc = is_meant(reader, object);
	if (rc <= 0)
		return rc;
	if (hp_text(reader, object, "Name", &title) ||
	    hp_text(reader, object, "Description", &description))
		return -1;
	team = place_team(reader, id, version, &rc);
	if (!team)
		return rc;
	team->version = version;
	tell_unknown(reader, object, known);
	if (copy_text(reader, title, &team->title) ||
	    (id && copy_text(reader, id, &team->id)) ||
	    (description &&
	     copy_text(reader, description, &team->description)) ||
	    read_config(reader, object, team))
		return -1;
	return check_alone(reader, team);
}

/* ---- ClusterSchedulerConfig ---- */

static int read_classes(struct hp_reader *reader,
			const struct json_object *config)
{
	struct hp_scheduler *scheduler = &reader->import->scheduler;
	struct json_object *list = NULL;

	if (hp_list(reader, config, "PriorityClasses", &list))
		return -1;
	if (list && json_object_array_length(list) > 100)
		return hp_fail(reader, "more than 100 priority classes");
	for (size_t i = 0; list && i < json_object_array_length(list); i++) {
		struct json_object *item = json_object_array_get_idx(list, i);
		struct hp_class class = { "", 0 }, *added;
		uint64_t weight = 0;

		if (hp_name(reader, item, "Name", false, class.name) ||
		    hp_whole(reader, item, "Weight", 100, &weight))
			return -1;
		class.weight = (unsigned) weight;
		for (size_t j = 0; j < scheduler->classes; j++)
			if (!strcmp(scheduler->class[j].name, class.name))
				return hp_fail(
					reader,
					"the priority class %s is there twice",
					class.name);
		added = hp_append(reader->import, &scheduler->class,
				  &scheduler->classes, sizeof(*added));
		if (!added)
			return hp_fail(reader, "out of memory");
		*added = class;
	}
	return 0;
}

static int fill_scheduler(struct hp_reader *reader, struct json_object *config)
{
	static const char *const fair[] = { "Enabled", "Disabled", NULL };
	static const char *const shared[] = { "Disabled", "Enabled", NULL };
	static const char *const known[] = { "PriorityClasses", "FairShare",
					     "IdleResourceSharing", NULL };
	struct hp_scheduler *scheduler = &reader->import->scheduler;
	unsigned first_come = 0, share = 0;

	scheduler->classes = 0;
	tell_unknown(reader, config, known);
	if (read_classes(reader, config) ||
	    hp_word(reader, config, "FairShare", fair, &first_come) ||
	    hp_word(reader, config, "IdleResourceSharing", shared, &share))
		return -1;
	scheduler->whole = true;
	scheduler->first_come = first_come;
	scheduler->share_unallocated = share;
	return 0;
}

static int read_scheduler(struct hp_reader *reader, struct json_object *object)
{
	struct hp_scheduler *scheduler = &reader->import->scheduler;
	struct json_object *config = NULL;
	const char *id;
	int64_t version;
	int rc;

	if (read_identity(reader, object, "ClusterSchedulerConfig", &id,
			  &version))
		return -1;
	rc = is_meant(reader, object);
	if (rc <= 0)
		return rc;
	if (hp_object(reader, object, "SchedulerConfig", &config))
		return -1;
	if (scheduler->seen && strcmp(id ? id : "", scheduler->id))
		return hp_fail(
			reader,
			"there is another one, %.80s; a cluster has one, so give one of them",
			scheduler->id);
	if (scheduler->whole && (!config || version < scheduler->version))
		return 0;
	scheduler->seen = true;
	scheduler->version = version;
	if (copy_text(reader, id ? id : "", &scheduler->id))
		return -1;
	return config ? fill_scheduler(reader, config) : 0;
}

/* ---- clusters and nodes ---- */

/* InstanceGroups of a cluster, or nodes of a list: how many of each type. */
static int read_nodes(struct hp_reader *reader,
		      const struct json_object *object, const char *key,
		      bool groups)
{
	struct json_object *list = NULL;
	int rc;

	snprintf(reader->object, sizeof(reader->object), "%s", key);
	rc = of_cluster(reader, object);
	if (rc <= 0)
		return rc;
	if (hp_list(reader, object, key, &list))
		return -1;
	for (size_t i = 0; list && i < json_object_array_length(list); i++) {
		struct json_object *item = json_object_array_get_idx(list, i);
		uint64_t count = groups ? 0 : 1;
		size_t type;

		if (read_type(reader, item, &type) ||
		    (groups && hp_whole(reader, item, "CurrentCount",
					HP_NODES_MAX, &count)))
			return -1;
		reader->import->type[type].nodes += count;
	}
	return 0;
}

/* ---- any of them ---- */

static int read_object(struct hp_reader *reader, struct json_object *object);

static int read_each(struct hp_reader *reader, struct json_object *list)
{
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *item = json_object_array_get_idx(list, i);

		*reader->object = '\0';
		if (!json_object_is_type(item, json_type_object))
			return hp_fail(reader,
				       "an object of the AWS API is expected");
		if (read_object(reader, item))
			return -1;
	}
	return 0;
}

static int read_summaries(struct hp_reader *reader,
			  const struct json_object *object, const char *key)
{
	struct json_object *list = NULL;

	if (hp_list(reader, object, key, &list))
		return -1;
	return list ? read_each(reader, list) : 0;
}

static int read_object(struct hp_reader *reader, struct json_object *object)
{
	static const char *const lists[] = { "ComputeQuotaSummaries",
					     "ClusterSchedulerConfigSummaries",
					     NULL };

	if (hp_member(object, "NextToken"))
		hp_note(reader->import,
			"%.100s is one page of a longer list (NextToken): fetch the others, too",
			reader->file);
	for (unsigned i = 0; lists[i]; i++)
		if (hp_member(object, lists[i]))
			return read_summaries(reader, object, lists[i]);
	if (hp_member(object, "ComputeQuotaConfig") ||
	    hp_member(object, "ComputeQuotaTarget"))
		return read_quota(reader, object);
	if (hp_member(object, "SchedulerConfig") ||
	    hp_member(object, "ClusterSchedulerConfigId") ||
	    hp_member(object, "ClusterSchedulerConfigArn"))
		return read_scheduler(reader, object);
	if (hp_member(object, "InstanceGroups"))
		return read_nodes(reader, object, "InstanceGroups", true);
	if (hp_member(object, "ClusterNodeSummaries"))
		return read_nodes(reader, object, "ClusterNodeSummaries",
				  false);
	return hp_fail(
		reader,
		"an object is neither a ComputeQuota nor a ClusterSchedulerConfig, nor a list of them, nor a cluster");
}

static int read_values(struct hp_reader *reader, struct json_tokener *tokener,
		       const char *text, size_t length)
{
	size_t at = 0;
	int rc = 0;

	while (!rc) {
		struct json_object *value;

		while (at < length && strchr(" \t\r\n", text[at]) && text[at])
			at++;
		if (at == length)
			break;
		json_tokener_reset(tokener);
		value = json_tokener_parse_ex(tokener, text + at,
					      (int) (length - at));
		if (json_tokener_get_error(tokener) != json_tokener_success) {
			json_object_put(value);
			return hp_fail(reader,
				       "no JSON, %s, in or after byte %zu",
				       json_tokener_error_desc(
					       json_tokener_get_error(tokener)),
				       at + json_tokener_get_parse_end(
						    tokener));
		}
		at += json_tokener_get_parse_end(tokener);
		*reader->object = '\0';
		if (json_object_is_type(value, json_type_array))
			rc = read_each(reader, value);
		else if (json_object_is_type(value, json_type_object))
			rc = read_object(reader, value);
		else
			rc = hp_fail(reader,
				     "an object of the AWS API is expected");
		json_object_put(value);
	}
	return rc;
}

static int remember_file(struct gov_import *import, const char *name)
{
	char *files;

	if (asprintf(&files, "%s%s%.200s", import->files ? import->files : "",
		     import->files ? ", " : "", name) < 0)
		return -1;
	free(import->files);
	import->files = files;
	return 0;
}

int gov_import_hyperpod(struct gov_import *import, const char *name,
			const char *text, size_t length,
			struct gov_error *error)
{
	struct hp_reader reader = { import, error, name, "" };
	struct json_tokener *tokener;
	int rc;

	if (length > INT32_MAX)
		return hp_fail(&reader, "more than 2 GiB");
	tokener = json_tokener_new();
	if (!tokener || remember_file(import, name)) {
		if (tokener)
			json_tokener_free(tokener);
		return gov_error_set(error, GOV_E_NOMEM, "out of memory");
	}
	rc = read_values(&reader, tokener, text, length);
	json_tokener_free(tokener);
	return rc;
}
