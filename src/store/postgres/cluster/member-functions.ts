import { CHANNEL } from "../connection/prefix.ts";
import { addAuditFrom } from "../functions/claims.ts";

/** How long a replica may be silent before it loses its place, in milliseconds by the database's clock. */
export const SILENCE_MS = 8_000;

const until = `clock_timestamp() + interval '${SILENCE_MS} ms'`;

/**
 * The replicas and their leader. A heartbeat does not take the store's lock, so long steps do not delay it. Leaving, fencing and taking the
 * lead do take it, so they happen between the steps of all replicas.
 */
export const members = `
  -- Makes all replicas send their next heartbeat now. Used rarely, because the commit of a notice locks the whole server.
  CREATE FUNCTION tell_replicas() RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_notify('${CHANNEL}', current_schema());
  END $$;

  -- Removes replicas that were silent for too long and frees the claims of all that are gone. Returns the number of claims.
  CREATE FUNCTION fence_lost(p_now bigint) RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE
    v_claimed bigint[];
  BEGIN
    DELETE FROM members WHERE expires_at <= clock_timestamp();
    DELETE FROM leases l WHERE role <> 'daemon' AND NOT EXISTS (SELECT 1 FROM members WHERE token = l.holder);
    v_claimed := ARRAY(
      SELECT r.id FROM records r WHERE r.stream = ANY (ARRAY(SELECT stream FROM streams)) AND r.state = 'claimed'
        AND NOT EXISTS (SELECT 1 FROM members m WHERE m.epoch::text = split_part(r.token, '.', 2)));
    IF cardinality(v_claimed) > 0 THEN
      PERFORM free_lost(v_claimed, p_now);
    END IF;
    RETURN cardinality(v_claimed);
  END $$;

  -- Takes the lead if it is free. While any replica has the mapping of the current deliveries, only such a replica may lead, and claims
  -- continue. A leader with another mapping must call lead() before any replica may claim.
  CREATE FUNCTION take_lead(p_token text, p_now bigint, OUT is_leader boolean, OUT given_back bigint) LANGUAGE plpgsql AS $$
  DECLARE
    v_mapping text := (SELECT mapping FROM members WHERE token = p_token);
  BEGIN
    given_back := fence_lost(p_now);
    INSERT INTO leases AS l (role, holder, name, expires_at)
    SELECT 'daemon', m.token, m.name, ${until} FROM members m WHERE m.token = p_token
    ON CONFLICT (role) DO UPDATE SET holder = excluded.holder, name = excluded.name, expires_at = excluded.expires_at,
      mapping = CASE WHEN l.mapping = v_mapping THEN l.mapping END
    WHERE l.expires_at <= clock_timestamp()
      AND (l.mapping = v_mapping OR NOT EXISTS (SELECT 1 FROM members o WHERE o.mapping = l.mapping));
    -- The leader's work depends on this step, so count it: its loss in a failover must be noticed.
    IF FOUND THEN
      PERFORM count_step();
    END IF;
    is_leader := EXISTS (SELECT 1 FROM leases WHERE role = 'daemon' AND holder = p_token);
  END $$;

  -- Gives up the lead. Its mapping remains the one for deliveries.
  CREATE FUNCTION resign(p_token text) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE leases SET holder = '', name = '', expires_at = clock_timestamp() WHERE role = 'daemon' AND holder = p_token;
    IF FOUND THEN
      PERFORM tell_replicas();
    END IF;
  END $$;

  -- Makes a process a replica. A daemon that works alone or has another queue is in the way and is returned instead.
  CREATE FUNCTION join_replicas(p_token text, p_name text, p_version text, p_queue text, p_mapping text, p_now bigint,
    OUT verdict text, OUT holder text, OUT name text, OUT until text, OUT epoch bigint, OUT given_back bigint)
  LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    m members;
    l leases;
  BEGIN
    given_back := fence_lost(p_now);
    SELECT * INTO l FROM leases WHERE role = 'daemon' AND expires_at > clock_timestamp();
    SELECT * INTO m FROM members WHERE queue IS DISTINCT FROM p_queue OR p_queue IS NULL ORDER BY epoch LIMIT 1;
    IF m.token IS NOT NULL THEN
      verdict := CASE WHEN p_queue IS NULL OR m.queue IS NULL THEN 'alone' ELSE 'queue' END;
      holder := m.token;
      name := m.name;
      until := m.expires_at::text;
    -- The holder of the lease is no replica: it is changing the tables.
    ELSIF l.holder IS NOT NULL AND NOT EXISTS (SELECT 1 FROM members WHERE token = l.holder) THEN
      verdict := 'alone';
      holder := l.holder;
      name := l.name;
      until := l.expires_at::text;
    ELSE
      verdict := 'joined';
      IF NOT EXISTS (SELECT 1 FROM members) THEN
        UPDATE service_limits SET rate = NULL;
        UPDATE leases SET mapping = NULL WHERE role = 'daemon';
      END IF;
      epoch := nextval('member_epochs');
      INSERT INTO members (token, epoch, name, version, since, expires_at, queue, mapping)
      VALUES (p_token, epoch, p_name, p_version, clock_timestamp(), ${until}, p_queue, p_mapping);
      PERFORM take_lead(p_token, p_now);
    END IF;
  END $$;

  -- Renews the replica's place and returns what the replica must know. Returns nothing if it has lost its place. After a failover its old
  -- share may exceed what it holds, so the share is cut.
  CREATE FUNCTION beat(p_token text, p_held integer, p_is_served integer, p_ceiling integer, p_paused_ms integer, p_rate integer,
    p_server bigint, p_steps bigint, p_creates bigint)
  RETURNS TABLE ("isLeader" boolean, "hasLeader" boolean, "isAgreed" boolean, "isNeeded" boolean, share integer, "pausedMs" integer, rate integer,
    others integer, "othersServed" integer, lost integer, "mustFence" boolean, "isConfirmed" boolean, at bigint, server bigint, steps bigint, creates bigint)
  LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    v_until timestamptz := ${until};
    v_leads boolean;
    v_is_confirmed boolean;
    v record;
  BEGIN
    v := expect_steps(p_server, p_steps, p_creates);
    -- Lock the limits before its own row, because the leader's heartbeat takes the locks in that order.
    IF p_paused_ms > 0 OR p_rate IS DISTINCT FROM (SELECT known FROM members WHERE token = p_token) THEN
      PERFORM FROM service_limits FOR UPDATE;
    END IF;
    UPDATE members SET expires_at = v_until, held = p_held, is_served = p_is_served, server = pg_postmaster_start_time(),
      share = CASE WHEN server = pg_postmaster_start_time() THEN share ELSE least(share, p_held) END
    WHERE token = p_token;
    IF NOT FOUND THEN
      RETURN;
    END IF;
    PERFORM hear_limits(p_token, p_paused_ms, p_rate);
    UPDATE leases SET expires_at = v_until WHERE role = 'daemon' AND holder = p_token;
    v_leads := FOUND;
    -- Whether each replica has sent a heartbeat since the server was started or promoted. Until then, facts about the others may be
    -- outdated.
    v_is_confirmed := NOT EXISTS (SELECT 1 FROM members o WHERE o.server <> pg_postmaster_start_time());
    IF v_leads AND v_is_confirmed THEN
      PERFORM share_out(p_ceiling);
      PERFORM grant_rates(p_token);
    END IF;
    -- The replica may use the share it reads now, even if it gets less later, until it reports that it has stopped.
    UPDATE members SET known = rate, held = greatest(held, share)
    WHERE token = p_token AND (known IS DISTINCT FROM rate OR held < share);
    RETURN QUERY
      SELECT v_leads, coalesce(l.expires_at > clock_timestamp(), false), coalesce(l.mapping = m.mapping, m.mapping IS NULL),
        EXISTS (SELECT 1 FROM needed() n WHERE n.token = p_token), m.share,
        (SELECT greatest(0, extract(epoch FROM greatest(s.paused_until, clock_timestamp()) - clock_timestamp()) * 1000)::integer
           FROM service_limits s), m.rate,
        (SELECT count(*)::integer FROM members o WHERE o.token <> p_token),
        (SELECT count(*)::integer FROM members o WHERE o.token <> p_token AND o.is_served = 1 AND o.expires_at > clock_timestamp()
           AND o.mapping = l.mapping),
        (SELECT count(*)::integer FROM members o WHERE o.expires_at <= clock_timestamp()), is_revoked(),
        v_is_confirmed,
        (extract(epoch FROM clock_timestamp()) * 1000)::bigint, v.server, v.steps, v.creates
      FROM members m LEFT JOIN leases l ON l.role = 'daemon' WHERE m.token = p_token;
  END $$;

  -- was_there: false if its place was lost before. kept: how many of the steps that it knows of the store still has. If the store has lost
  -- creates, all replicas lose their places and restart with a store that is older than the service.
  CREATE FUNCTION leave_replicas(p_token text, p_server bigint, p_steps bigint, p_creates bigint, p_now bigint,
    OUT was_there boolean, OUT kept bigint)
  LANGUAGE plpgsql AS $$
  DECLARE
    v_creates bigint;
  BEGIN
    SELECT k.steps, k.creates INTO kept, v_creates FROM kept_of(p_server) k;
    IF v_creates < p_creates THEN
      PERFORM mark_restored(p_creates);
      PERFORM count_step();
      UPDATE steps SET count = greatest(count, p_steps), count_before = greatest(count, p_steps), creates_before = count_creates();
      DELETE FROM members;
      DELETE FROM leases;
    END IF;
    DELETE FROM members WHERE token = p_token;
    was_there := FOUND;
    PERFORM resign(p_token);
    DELETE FROM leases WHERE holder = p_token;
    PERFORM fence_lost(p_now);
    PERFORM tell_replicas();
  END $$;

  -- Removes the replicas of this name that have been silent for a while: a person knows that they are dead.
  CREATE FUNCTION fence_named(p_name text, p_trust_ms integer, p_audit jsonb, p_now bigint) RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE
    v_count bigint;
  BEGIN
    IF EXISTS (SELECT 1 FROM members WHERE name = p_name
      AND expires_at > ${until} - p_trust_ms * interval '1 ms') THEN
      PERFORM refuse('E_REPLICA_ALIVE', '');
    END IF;
    PERFORM resign(token) FROM members WHERE name = p_name;
    DELETE FROM leases WHERE holder IN (SELECT token FROM members WHERE name = p_name);
    DELETE FROM members WHERE name = p_name;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count > 0 THEN
      PERFORM fence_lost(p_now);
      PERFORM tell_replicas();
      ${addAuditFrom("(SELECT p_audit AS e) entry")};
    END IF;
    RETURN v_count;
  END $$;

  CREATE FUNCTION take_role(p_role text, p_token text) RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO leases AS l (role, holder, name, expires_at) SELECT p_role, token, name, 'infinity' FROM members WHERE token = p_token
    ON CONFLICT (role) DO UPDATE SET holder = excluded.holder, name = excluded.name
    WHERE NOT EXISTS (SELECT 1 FROM members WHERE token = l.holder);
    RETURN EXISTS (SELECT 1 FROM leases WHERE role = p_role AND holder = p_token);
  END $$
`;
