export const intake = `
  -- Fails unless p_sweep is the sweep in progress.
  CREATE FUNCTION expect_sweep(p_stream text, p_sweep bigint) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    v_open bigint := (SELECT number FROM sweeps WHERE stream = p_stream AND open = 1);
  BEGIN
    IF v_open IS DISTINCT FROM p_sweep THEN
      PERFORM refuse('E_SWEEP_LOST', v_open::text);
    END IF;
  END $$`;
