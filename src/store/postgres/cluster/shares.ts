/** A pause that ends less than this later, in milliseconds, is the same pause, reported by another replica. */
const ROUNDING_MS = 100;
/** How long after a pause every replica has reported what it learned, in milliseconds: two heartbeats. */
const LEARNING_MS = 1_000;
/**
 * Requests per second for each delivering replica, if there is a limit. Replicas that share a low limit miss it: three reached 0.80 of 20
 * requests a second and 0.92 of 40, with a pause after each request too many.
 */
const REPLICA_RATE = 50;

/** The target share of each replica. Needed replicas share equally; each of the others keeps one request if there are enough. */
const targets = `
  SELECT * FROM (
    SELECT m.token, m.share, m.held, CASE WHEN d.rank IS NULL THEN a.spare
      ELSE (p_ceiling - a.spare * (a.count - d.count)) / d.count
        + CASE WHEN d.rank <= (p_ceiling - a.spare * (a.count - d.count)) % d.count THEN 1 ELSE 0 END END AS target
    FROM members m
    CROSS JOIN (SELECT count(*)::integer AS count, CASE WHEN count(*) <= p_ceiling THEN 1 ELSE 0 END AS spare FROM members) a
    LEFT JOIN needed() d ON d.token = m.token
  ) t`;

/** Divides the capacity of the service among the replicas: concurrent requests, and requests per second. */
export const shares = `
  -- The replicas that deliver, leader first. They have its mapping, the service answers them, and the rate limit has room for them.
  CREATE FUNCTION needed() RETURNS TABLE (token text, rank integer, count integer) LANGUAGE sql STABLE AS $$
    SELECT token, rank, count FROM (
      SELECT o.token, row_number() OVER (ORDER BY (o.token = l.holder) DESC, o.epoch)::integer AS rank,
        least(count(*) OVER (), (SELECT greatest(1, ceil(rate / ${REPLICA_RATE}.0)) FROM service_limits WHERE rate IS NOT NULL))::integer AS count
      FROM members o JOIN leases l ON l.role = 'daemon' AND (o.mapping = l.mapping OR o.token = l.holder)
      WHERE o.is_served = 1 OR NOT EXISTS (SELECT 1 FROM members WHERE is_served = 1)
    ) o WHERE rank <= count
  $$;

  -- Divides the concurrent requests among the replicas. A replica that gets less keeps the requests in flight until it reports their end.
  -- Only then does another replica get them.
  CREATE FUNCTION share_out(p_ceiling integer) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    v record;
    v_free integer;
    v_share integer;
    v_is_new boolean := false;
  BEGIN
    FOR v IN ${targets} WHERE target < share LOOP
      UPDATE members SET share = v.target WHERE token = v.token;
      v_is_new := true;
    END LOOP;
    v_free := p_ceiling - (SELECT sum(greatest(share, held)) FROM members);
    FOR v IN ${targets} WHERE target > share LOOP
      v_share := greatest(v.share, least(v.target, greatest(v.share, v.held) + greatest(v_free, 0)));
      v_free := v_free - greatest(0, v_share - greatest(v.share, v.held));
      IF v_share > v.share THEN
        UPDATE members SET share = v_share WHERE token = v.token;
        v_is_new := true;
      END IF;
    END LOOP;
    IF v_is_new THEN
      PERFORM tell_replicas();
    END IF;
  END $$;

  -- Stores what the service's refusals told a replica. A rate that differs from the granted one was learned from a refusal.
  CREATE FUNCTION hear_limits(p_token text, p_paused_ms integer, p_rate integer) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    v_known integer := (SELECT known FROM members WHERE token = p_token);
    v_until timestamptz := clock_timestamp() + p_paused_ms * interval '1 ms';
  BEGIN
    IF coalesce(p_rate <> v_known, p_rate IS NOT NULL) THEN
      UPDATE service_limits SET rate = greatest(1, coalesce(rate, 0) + p_rate - coalesce(v_known, 0));
      UPDATE members SET rate = p_rate WHERE token = p_token;
    END IF;
    IF p_paused_ms > 0 THEN
      UPDATE service_limits SET paused_until = v_until WHERE paused_until < v_until - interval '${ROUNDING_MS} ms';
      IF FOUND THEN
        PERFORM tell_replicas();
      END IF;
    END IF;
  END $$;

  -- Grants each needed replica the part of the rate that corresponds to its share, and the leader the rest; the others hardly send
  -- anything. Grants nothing during a pause, nor until each replica has reported what it learned from the refusal that began it.
  CREATE FUNCTION grant_rates(p_leader text) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    v_rate integer := (SELECT rate FROM service_limits WHERE paused_until < clock_timestamp() - interval '${LEARNING_MS} ms');
  BEGIN
    IF v_rate IS NOT NULL THEN
      WITH parts AS (
        SELECT m.token, n.token IS NOT NULL AS is_needed, CASE WHEN n.token IS NULL THEN 1
          ELSE greatest(1, v_rate * m.share / greatest(1, sum(m.share) FILTER (WHERE n.token IS NOT NULL) OVER ())) END AS rate
        FROM members m LEFT JOIN needed() n ON n.token = m.token
      ), granted AS (
        SELECT token, CASE WHEN token = p_leader
          THEN greatest(1, v_rate - (SELECT coalesce(sum(rate), 0) FROM parts WHERE is_needed AND token <> p_leader)) ELSE rate END AS rate
        FROM parts
      )
      UPDATE members m SET rate = g.rate FROM granted g WHERE g.token = m.token AND m.rate IS DISTINCT FROM g.rate;
    END IF;
  END $$
`;
