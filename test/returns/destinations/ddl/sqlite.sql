-- The inbox through which svcsync hands over what the service knows, for SQLite.
--
-- The columns that the sync file names are texts here. Give them the types that the ERP wants (a date, a decimal, a longer text): svcsync writes
-- a value exactly, or says which column it does not fit. More columns are fine if they may be NULL or have a default.

-- SQLite has no schemas: write the tables without "svcsync" in the sync file.

create table "svcsync"."returns" (
  return_id text not null,
  stream text not null,
  service_id integer not null,
  version integer not null,
  kind text not null,
  replaces text null,
  line_count integer not null,
  content_hash text not null,
  payload text null,
  "order_no" text null,
  "finished_at" text null,
  "ticket_no" text null,
  written_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  primary key (return_id),
  unique (stream, service_id, version)
);

create table "svcsync"."states" (
  return_id text not null,
  stream text not null,
  record_key text not null,
  service_id integer null,
  version integer not null,
  kind text not null,
  replaces text null,
  content_hash text not null,
  payload text null,
  "state" text null,
  "reason" text null,
  written_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  primary key (return_id),
  unique (stream, record_key, version)
);

create table "svcsync"."return_lines" (
  return_id text not null,
  line_no integer not null,
  line_kind text not null,
  line_id integer not null,
  "change" text not null,
  amount text null,
  amount_before text null,
  "article" text null,
  "text" text null,
  primary key (return_id, line_no)
);

-- The ERP's answers. svcsync only reads them.

create table "svcsync"."answers" (
  return_id text not null,
  result text not null,
  document text null,
  message text null,
  answered_at text not null,
  primary key (return_id)
);

-- What the ERP has not answered. Its job reads this, never "what came after my last": a late commit would be missed.
create view "svcsync"."open" as
  select r.* from "svcsync"."returns" r left join "svcsync"."answers" a on a.return_id = r.return_id
  where a.return_id is null and r.stream in ('reports');

-- The newest state of each record.
create view "svcsync"."states_newest" as
  select s.* from "svcsync"."states" s where s.version =
    (select max(n.version) from "svcsync"."states" n where n.stream = s.stream and n.record_key = s.record_key);

-- The rights of svcsync's user. It never changes or deletes a row.

-- SQLite has no rights: who may write the file may do everything with it. Give the ERP a file of its own for the inbox.

-- The user of the ERP's job, unless it owns these tables, needs: the use of their schema, SELECT on all of them and on the view, and INSERT on the
-- answers. Where several jobs lock rows (FOR UPDATE), also UPDATE on the heads.

-- A sample of the ERP's job. It takes one return after the other, each in one transaction with the ERP's own booking:
--
-- select * from "svcsync"."open" order by stream, service_id, version limit 1;
-- select * from "svcsync"."return_lines" where return_id = :id order by line_no;
-- Book it. kind = 'fact': new. 'correction': replaces the return in the column replaces; change in each line tells added, changed, removed or same. 'cancelled': reverse it.
-- insert into "svcsync"."answers" (return_id, result, document, message, answered_at)
--   values (:id, 'ok', 'RE-10023', null, (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')));
-- Or, with the reason that svcsync's users see: values (:id, 'refused', null, 'unknown article 4711', …)
-- commit;
--
-- Run only one such job at a time. Never read rows that are not committed (NOLOCK). Keep answered rows for some weeks before you delete them,
-- a head together with its lines: after a cut connection svcsync looks whether a return is there.

