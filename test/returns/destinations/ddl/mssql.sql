-- The inbox through which svcsync hands over what the service knows, for SQL Server.
--
-- The columns that the sync file names are texts here. Give them the types that the ERP wants (a date, a decimal, a longer text): svcsync writes
-- a value exactly, or says which column it does not fit. More columns are fine if they may be NULL or have a default.

if schema_id(N'svcsync') is null exec(N'create schema [svcsync]');
go

create table [svcsync].[returns] (
  return_id nvarchar(120) collate Latin1_General_100_BIN2 not null,
  stream nvarchar(40) collate Latin1_General_100_BIN2 not null,
  service_id bigint not null,
  version int not null,
  kind nvarchar(12) not null,
  replaces nvarchar(120) collate Latin1_General_100_BIN2 null,
  line_count int not null,
  content_hash nvarchar(64) not null,
  payload nvarchar(max) null,
  [order_no] nvarchar(500) null,
  [finished_at] nvarchar(500) null,
  [ticket_no] nvarchar(500) null,
  written_at datetimeoffset(3) not null default sysdatetimeoffset(),
  primary key (return_id),
  unique (stream, service_id, version)
);
go

create table [svcsync].[states] (
  return_id nvarchar(255) collate Latin1_General_100_BIN2 not null,
  stream nvarchar(40) collate Latin1_General_100_BIN2 not null,
  record_key nvarchar(190) collate Latin1_General_100_BIN2 not null,
  service_id bigint null,
  version int not null,
  kind nvarchar(12) not null,
  replaces nvarchar(255) collate Latin1_General_100_BIN2 null,
  content_hash nvarchar(64) not null,
  payload nvarchar(max) null,
  [state] nvarchar(500) null,
  [reason] nvarchar(500) null,
  written_at datetimeoffset(3) not null default sysdatetimeoffset(),
  primary key (return_id),
  unique (stream, record_key, version)
);
go

create table [svcsync].[return_lines] (
  return_id nvarchar(120) collate Latin1_General_100_BIN2 not null,
  line_no int not null,
  line_kind nvarchar(12) not null,
  line_id bigint not null,
  [change] nvarchar(8) not null,
  amount decimal(18, 4) null,
  amount_before decimal(18, 4) null,
  [article] nvarchar(500) null,
  [text] nvarchar(500) null,
  primary key (return_id, line_no)
);
go

-- The ERP's answers. svcsync only reads them.

create table [svcsync].[answers] (
  return_id nvarchar(120) collate Latin1_General_100_BIN2 not null,
  result nvarchar(8) not null,
  document nvarchar(60) null,
  message nvarchar(2000) null,
  answered_at datetimeoffset(3) not null,
  primary key (return_id)
);
go

-- What the ERP has not answered. Its job reads this, never "what came after my last": a late commit would be missed.
create view [svcsync].[open] as
  select r.* from [svcsync].[returns] r left join [svcsync].[answers] a on a.return_id = r.return_id
  where a.return_id is null and r.stream in ('reports');
go

-- The newest state of each record.
create view [svcsync].[states_newest] as
  select s.* from [svcsync].[states] s where s.version =
    (select max(n.version) from [svcsync].[states] n where n.stream = s.stream and n.record_key = s.record_key);
go

-- The rights of svcsync's user. It never changes or deletes a row.

grant insert, select on [svcsync].[returns] to svcsync; deny update, delete on [svcsync].[returns] to svcsync;

grant insert, select on [svcsync].[states] to svcsync; deny update, delete on [svcsync].[states] to svcsync;

grant insert, select on [svcsync].[return_lines] to svcsync; deny update, delete on [svcsync].[return_lines] to svcsync;

grant select on [svcsync].[answers] to svcsync; deny insert, update, delete on [svcsync].[answers] to svcsync;

-- The user of the ERP's job, unless it owns these tables, needs: the use of their schema, SELECT on all of them and on the view, and INSERT on the
-- answers. Where several jobs lock rows (FOR UPDATE), also UPDATE on the heads.

-- A sample of the ERP's job. It takes one return after the other, each in one transaction with the ERP's own booking:
--
-- select top 1 * from [svcsync].[open] order by stream, service_id, version;
-- select * from [svcsync].[return_lines] where return_id = :id order by line_no;
-- Book it. kind = 'fact': new. 'correction': replaces the return in the column replaces; change in each line tells added, changed, removed or same. 'cancelled': reverse it.
-- insert into [svcsync].[answers] (return_id, result, document, message, answered_at)
--   values (:id, 'ok', 'RE-10023', null, sysdatetimeoffset());
-- Or, with the reason that svcsync's users see: values (:id, 'refused', null, 'unknown article 4711', …)
-- commit;
--
-- Run only one such job at a time. Never read rows that are not committed (NOLOCK). Keep answered rows for some weeks before you delete them,
-- a head together with its lines: after a cut connection svcsync looks whether a return is there.

