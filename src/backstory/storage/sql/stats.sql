-- calls --
-- Calls of models since a time, by day (of the epoch), project, provider and model. Sums of what has
-- no price of its own come apart, so that a list price can be put on them.
SELECT l.at / 86400000 AS day, coalesce(p.name, ''), l.provider, l.model, count(*),
       sum(l.tokens_in), sum(l.tokens_out), sum(l.tokens_cached), sum(l.tool_uses),
       sum(l.rows_written), sum(l.dropped), sum(l.duration_ms),
       sum(l.outcome NOT IN ('done', 'nothing')), coalesce(sum(l.price_usd), 0.0),
       sum(l.price_usd IS NOT NULL),
       coalesce(sum(CASE WHEN l.price_usd IS NULL THEN l.tokens_in END), 0),
       coalesce(sum(CASE WHEN l.price_usd IS NULL THEN l.tokens_out END), 0),
       coalesce(sum(CASE WHEN l.price_usd IS NULL THEN l.tokens_cached END), 0)
  FROM ledger l LEFT JOIN projects p ON p.id = l.project
 WHERE l.at >= :since AND l.provider <> 'rules'
 GROUP BY day, l.project, l.provider, l.model

-- under_way --
-- What calls since a time may still cost, or may have cost: nobody knows.
SELECT count(*), coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0)
  FROM reservations WHERE at >= :since

-- model_jobs --
SELECT state, count(*) FROM jobs WHERE kind = 'model' AND state <> 'done' GROUP BY state

-- waiting_uses --
-- Tool uses of the turns that wait for a model.
SELECT count(*) FROM jobs j JOIN prompts p ON p.id = j.prompt
  JOIN tool_uses t ON t.prompt = p.id AND t.id > p.model_uses
 WHERE j.kind = 'model' AND j.state IN ('pending', 'leased')

-- next_waits --
-- When the first of the turns that wait is tried again, and why it waits.
SELECT not_before, error FROM jobs WHERE kind = 'model' AND state = 'pending' ORDER BY not_before LIMIT 1

-- waits --
-- Turns that are not to be tried before a time to come.
SELECT count(*) FROM jobs WHERE kind = 'model' AND state = 'pending' AND not_before > ?

-- dead_why --
-- Why the newest of the jobs given up was given up.
SELECT error FROM jobs WHERE kind = 'model' AND state = 'dead' ORDER BY finished_at DESC, id DESC LIMIT 1

-- only_rules --
-- Turns that rules have distilled, with something that no model has seen and none is about to. had,
-- uses: tool uses in all, and those whose raw texts are still kept.
SELECT turn, project, root, cwd, uses, had, seen FROM (
  SELECT p.id AS turn, p.project AS project, s.root AS root, s.cwd AS cwd,
         (SELECT count(*) FROM tool_uses t JOIN tool_io i ON i.tool_use = t.id
           WHERE t.prompt = p.id AND t.id > p.model_uses) AS uses,
         (SELECT count(*) FROM tool_uses t WHERE t.prompt = p.id AND t.id > p.model_uses) AS had,
         p.model_uses AS seen, p.model_closed AS closed
    FROM prompts p JOIN sessions s ON s.id = p.session
   WHERE p.created_at >= :since AND (:project IS NULL OR p.project = :project)
     AND EXISTS (SELECT 1 FROM jobs j WHERE j.prompt = p.id AND j.kind = 'rules')
     AND NOT EXISTS (SELECT 1 FROM jobs j
                      WHERE j.prompt = p.id AND j.state IN ('pending', 'leased')))
 WHERE had > 0
    OR (NOT closed AND seen = 0 AND EXISTS (
          SELECT 1 FROM observations o WHERE o.prompt = turn AND o.distilled_by LIKE 'rules/%'))
 ORDER BY turn

-- lately --
-- What calls cost lately, of one provider: the base of an estimate.
SELECT count(*), coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0) FROM ledger
 WHERE at >= :since AND provider = :provider AND outcome IN ('done', 'nothing') AND tokens_in > 0

-- answered_model --
-- The model that answered last, as the provider names it: settings may hold another name for it.
SELECT model FROM ledger WHERE provider = ? AND outcome = 'done' AND model <> '' ORDER BY id DESC LIMIT 1
