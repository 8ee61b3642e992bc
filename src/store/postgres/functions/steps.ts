import { createsNote } from "../../facts.ts";
import { MOVED, NOT_A_MEMBER, REWOUND } from "../connection/failures.ts";

/**
 * The start of every message of steps. Each process reports the commits that it knows of and the server run on which it counted them. So
 * commits lost in a failover are noticed, even after other processes have continued.
 */
export const steps = `
  -- Identifies the server's run by its start time in microseconds. It differs after a failover.
  CREATE FUNCTION this_server() RETURNS bigint STABLE LANGUAGE plpgsql AS $$
  BEGIN
    RETURN (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint;
  END $$;

  CREATE FUNCTION count_creates() RETURNS bigint LANGUAGE plpgsql AS $$
  BEGIN
    RETURN coalesce((SELECT value::bigint FROM notes WHERE name = '${createsNote.name}'), 0);
  END $$;

  CREATE FUNCTION count_step() RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    v_server bigint := this_server();
  BEGIN
    UPDATE steps SET count = count + 1 WHERE server = v_server;
    IF NOT FOUND THEN
      UPDATE steps SET count = count + 1, server = v_server, count_before = count, creates_before = count_creates();
    END IF;
  END $$;

  -- How many of the steps and creates committed while p_server ran the store still has. On another server: those from before it started.
  CREATE FUNCTION kept_of(p_server bigint, OUT steps bigint, OUT creates bigint) LANGUAGE plpgsql AS $$
  DECLARE
    v_server bigint := this_server();
  BEGIN
    SELECT CASE WHEN s.server = v_server AND p_server <> v_server THEN s.count_before ELSE s.count END,
      CASE WHEN s.server = v_server AND p_server <> v_server THEN s.creates_before ELSE count_creates() END
    INTO steps, creates FROM steps s;
  END $$;

  -- Fails if the caller knows of more commits than the store has. Returns what the store has.
  CREATE FUNCTION expect_steps(p_server bigint, p_steps bigint, p_creates bigint, OUT server bigint, OUT steps bigint, OUT creates bigint)
  LANGUAGE plpgsql AS $$
  DECLARE
    v_steps bigint;
    v_creates bigint;
  BEGIN
    SELECT k.steps, k.creates INTO v_steps, v_creates FROM kept_of(p_server) k;
    IF v_steps < p_steps OR v_creates < p_creates THEN
      RAISE EXCEPTION USING ERRCODE = '${REWOUND}',
        MESSAGE = format('the store has %s of %s steps and %s of %s creates', v_steps, p_steps, v_creates, p_creates);
    END IF;
    SELECT this_server(), s.count, count_creates() INTO server, steps, creates FROM steps s;
  END $$;

  CREATE FUNCTION expect_member(p_token text, p_server bigint, p_steps bigint, p_creates bigint,
    OUT server bigint, OUT steps bigint, OUT creates bigint)
  LANGUAGE plpgsql AS $$
  BEGIN
    SELECT e.server, e.steps, e.creates INTO server, steps, creates FROM expect_steps(p_server, p_steps, p_creates) e;
    IF NOT EXISTS (SELECT 1 FROM members WHERE token = p_token) THEN
      RAISE EXCEPTION USING ERRCODE = '${NOT_A_MEMBER}', MESSAGE = 'this daemon has lost its place in the store';
    END IF;
  END $$;

  CREATE FUNCTION expect_in_charge() RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT 1 FROM move WHERE state IN ('left', 'arriving')) THEN
      RAISE EXCEPTION USING ERRCODE = '${MOVED}', MESSAGE = 'another store is in charge';
    END IF;
  END $$`;
