-- open_model_job --
-- A turn has something that no model has seen. One that is under way is looked at again at its end.
INSERT INTO jobs (kind, prompt, created_at, not_before) VALUES ('model', :prompt, :at, :due)
ON CONFLICT (prompt, kind) DO UPDATE SET
  state = 'pending', not_before = :due, error = '', finished_at = NULL,
  attempts = CASE state WHEN 'dead' THEN :last ELSE 0 END
WHERE state IN ('done', 'dead') OR (state = 'pending' AND attempts = 0 AND not_before > :due)

-- new_to_model --
-- Of one turn: tool uses that no model has seen, whether it has an end that none has seen, and
-- whether nothing more is to be expected: its session ended or went on, or all was quiet since.
SELECT (SELECT count(*) FROM tool_uses t WHERE t.prompt = p.id AND t.id > p.model_uses) AS uses,
       p.ended_at IS NOT NULL AND NOT p.model_closed AS unseen_end,
       s.ended_at IS NOT NULL AS session_ended,
       s.last_at < :quiet_since
         OR EXISTS (SELECT 1 FROM prompts q WHERE q.session = p.session AND q.number > p.number) AS over
  FROM prompts p JOIN sessions s ON s.id = p.session WHERE p.id = :prompt

-- open_recent --
-- Everything of the last day that no model has seen, also of turns that run.
INSERT INTO jobs (kind, prompt, created_at, not_before)
SELECT 'model', p.id, :at, 0 FROM prompts p
 WHERE p.created_at >= :since
   AND ((p.ended_at IS NOT NULL AND NOT p.model_closed)
        OR EXISTS (SELECT 1 FROM tool_uses t WHERE t.prompt = p.id AND t.id > p.model_uses))
ON CONFLICT (prompt, kind) DO UPDATE SET
  state = 'pending', not_before = 0, attempts = 0, error = '', finished_at = NULL
WHERE state = 'done'

-- waiting --
-- Turns that wait; the first decides whose turns go next. Those of today come before older ones,
-- which an upgrade may have opened by the thousand, and those of the latest failure last.
SELECT j.id, j.prompt, j.attempts, p.project, CASE j.error WHEN '' THEN 0 ELSE j.call END AS failed,
       j.not_before <= :now AS due
  FROM jobs j JOIN prompts p ON p.id = j.prompt
 WHERE j.kind = 'model' AND j.state = 'pending' AND (j.not_before <= :now OR (j.attempts = 0 AND j.error = ''))
   AND p.session NOT IN (SELECT p.session FROM jobs j JOIN prompts p ON p.id = j.prompt
                          WHERE j.kind = 'model' AND j.state = 'leased')
 ORDER BY due DESC, p.created_at < :now - 86400000, failed, p.id LIMIT 500

-- next_due --
SELECT min(not_before) FROM jobs WHERE kind = 'model' AND state = 'pending' AND not_before > ?

-- make_fresh_due --
UPDATE jobs SET not_before = 0 WHERE kind = 'model' AND state = 'pending' AND attempts = 0

-- stop_gathering --
-- A session is over: its turns wait for no company.
UPDATE jobs SET not_before = 0
 WHERE kind = 'model' AND state = 'pending' AND attempts = 0
   AND prompt IN (SELECT id FROM prompts WHERE session = ?)

-- claim --
UPDATE jobs SET state = 'leased', leased_until = :until, call = :call
 WHERE id = :id AND kind = 'model' AND state = 'pending'

-- is_held --
SELECT 1 FROM jobs WHERE prompt = :prompt AND kind = 'model' AND state = 'leased' AND call = :call

-- job_of_call --
SELECT min(id) FROM jobs WHERE kind = 'model' AND call = ?

-- finish --
UPDATE jobs SET state = 'done', error = '', finished_at = :at, attempts = 0
 WHERE prompt = :prompt AND kind = 'model' AND call = :call AND state = 'leased'

-- give_back --
-- After a failure: the batch's own counts as an attempt, the provider's does not. One that was
-- billed counts from the second time on, and what may have been waits then: no batch is paid for
-- without end.
UPDATE jobs SET
  attempts = attempts + (:counts OR (:billed AND error <> '')),
  state = CASE WHEN attempts + (:counts OR (:billed AND error <> '')) >= :most THEN 'dead' ELSE 'pending' END,
  finished_at = CASE WHEN attempts + (:counts OR (:billed AND error <> '')) >= :most THEN :at END,
  not_before = CASE error WHEN '' THEN :due ELSE :again END, error = :error
 WHERE kind = 'model' AND call = :call AND state = 'leased'

-- release --
-- What an ended worker held. Its calls may have been billed: nobody knows.
UPDATE jobs SET state = 'pending' WHERE kind = 'model' AND state = 'leased'

-- lose_reservations --
-- One or all (call NULL). A day's first keeps all that its answer may have had; were that kept of
-- each, a worker that is killed again and again would use up the day with answers nobody gave.
UPDATE reservations SET state = 'lost', tokens_out = CASE
    WHEN EXISTS (SELECT 1 FROM reservations r
                  WHERE r.state = 'lost' AND r.at >= :since AND r.provider <> 'embeddings')
    THEN min(tokens_out, :expected) ELSE tokens_out END
 WHERE id = :call OR (:call IS NULL AND state = 'open')

-- turn_seen --
UPDATE prompts SET model_uses = max(model_uses, :uses), model_closed = max(model_closed, :closed)
 WHERE id = :prompt

-- stretch_uses --
-- In the order in which they were stored, so that a stretch is everything up to a row id.
SELECT t.id, t.tool_use_id, t.name, t.status, t.created_at, t.duration_ms, t.agent_id,
       t.agent_type, i.input, i.output
  FROM tool_uses t LEFT JOIN tool_io i ON i.tool_use = t.id
  JOIN prompts p ON p.id = t.prompt
 WHERE t.prompt = ? AND t.id > p.model_uses ORDER BY t.id LIMIT ?

-- kept --
-- Of a turn: the tool uses that no model has seen, and those whose raw texts are still kept.
SELECT count(*), count(i.tool_use) FROM tool_uses t LEFT JOIN tool_io i ON i.tool_use = t.id
  JOIN prompts p ON p.id = t.prompt
 WHERE t.prompt = ? AND t.id > p.model_uses

-- drafts --
-- What rules wrote of a turn, as long as no model made it its own.
SELECT id, type, title, evidence, created_at, tainted FROM observations
 WHERE prompt = ? AND distilled_by LIKE 'rules/%' AND superseded_by IS NULL ORDER BY id LIMIT 40

-- files_of --
SELECT path FROM observation_files WHERE observation = ? ORDER BY mode, path LIMIT 6

-- supersede --
-- A draft that became one with another.
UPDATE observations SET superseded_by = :by
 WHERE id = :id AND project = :project AND superseded_by IS NULL AND id <> :by
   AND distilled_by <> 'user'

-- supersede_shown --
-- An older record that the new one replaces or contradicts, as long as it is what was shown; never
-- one of another project.
UPDATE observations SET superseded_by = :by
 WHERE id = :id AND project = :project AND superseded_by IS NULL AND id <> :by
   AND distilled_by <> 'user' AND title = :title AND distilled_by = :distilled_by

-- row_of_turn --
-- A draft that another turn's row has ended since is not written again.
SELECT content_hash FROM observations
 WHERE id = :id AND prompt = :prompt AND distilled_by <> 'user' AND superseded_by IS NULL

-- reserve --
INSERT INTO reservations (at, project, provider, model, tokens_in, tokens_out)
VALUES (:at, :project, :provider, :model, :tokens_in, :tokens_out) RETURNING id

-- drop_reservation --
DELETE FROM reservations WHERE id = ?

-- drop_old_reservations --
DELETE FROM reservations WHERE at < ?

-- add_call --
INSERT INTO ledger
  (at, project, job, provider, model, tokens_in, tokens_out, tokens_cached, tool_uses, rows_written,
   duration_ms, price_usd, dropped, outcome)
VALUES
  (:at, :project, :job, :provider, :model, :tokens_in, :tokens_out, :tokens_cached, :tool_uses,
   :rows_written, :duration_ms, :price_usd, :dropped, :outcome)

-- spent --
-- Of a day: what was billed, and what calls under way or lost may be.
SELECT coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0) FROM (
  SELECT tokens_in, tokens_out FROM ledger WHERE at >= ?1 AND at < ?2 AND provider <> 'rules'
  UNION ALL
  SELECT tokens_in, tokens_out FROM reservations WHERE at >= ?1 AND at < ?2)

-- open_jobs --
-- Model jobs by whether they can be expected to end soon.
SELECT coalesce(sum(state = 'leased'), 0),
       coalesce(sum(state = 'pending' AND not_before <= :soon), 0),
       coalesce(sum(state = 'pending'), 0)
  FROM jobs WHERE kind = 'model'

-- candidate --
-- Whether a record may be offered for superseding: its turn (0 = saved by hand is never offered).
-- A draft that a model has still to look at may soon say something else.
SELECT coalesce(o.prompt, 0), o.evidence, s.root, s.cwd, o.distilled_by
  FROM observations o JOIN sessions s ON s.id = o.session
 WHERE o.id = ? AND o.superseded_by IS NULL AND o.tainted = 0 AND o.distilled_by <> 'user'
   AND NOT (o.distilled_by LIKE 'rules/%' AND EXISTS (
     SELECT 1 FROM jobs j
      WHERE j.prompt = o.prompt AND j.kind = 'model' AND j.state IN ('pending', 'leased')))

-- reopen --
UPDATE jobs SET state = 'pending', not_before = 0
 WHERE prompt = :prompt AND kind = 'model' AND call = :call AND state = 'leased'

-- expire --
-- Jobs of calls that nobody makes any more. By number, not by the clock: that jumps.
UPDATE jobs SET state = 'pending' WHERE kind = 'model' AND state = 'leased'
   AND call NOT IN (SELECT value FROM json_each(?))

-- make_due --
UPDATE jobs SET not_before = 0 WHERE kind = 'model' AND state = 'pending' AND not_before > ?

-- stop_waiting --
-- The provider answers again: what failed by its fault waits no longer.
UPDATE jobs SET not_before = :at
 WHERE kind = 'model' AND state = 'pending' AND attempts = 0 AND error <> '' AND not_before > :at

-- mend_clock --
-- Nothing waits for so long: the clock was ahead when this was written.
UPDATE jobs SET not_before = :at WHERE kind = 'model' AND state = 'pending' AND not_before > :latest

-- cuts --
-- Answers of a provider that were cut, among the latest.
SELECT count(*) FROM
  (SELECT outcome FROM ledger WHERE provider = :provider AND at >= :since ORDER BY id DESC LIMIT :latest)
 WHERE outcome = 'cut'

-- requeue_dead --
UPDATE jobs SET state = 'pending', attempts = 0, not_before = 0
 WHERE kind = 'model' AND state = 'dead'

-- drop_since --
DELETE FROM jobs WHERE kind = 'model' AND state = 'pending' AND created_at >= ?

-- is_tainted --
-- Whether what was seen of a turn rests on text of others.
SELECT EXISTS (SELECT 1 FROM observations WHERE prompt = ?1 AND tainted = 1)
    OR EXISTS (SELECT 1 FROM summaries WHERE prompt = ?1 AND tainted = 1)

-- newest_forget --
SELECT coalesce(max(id), 0) FROM forgotten

-- usual_output --
-- Tokens of the latest answers.
SELECT coalesce(avg(tokens_out), 0) FROM
  (SELECT tokens_out FROM ledger WHERE provider NOT IN ('rules', 'embeddings') ORDER BY id DESC LIMIT 20)

-- open_quiet --
-- Turns of the last day that nobody closed, in sessions that went quiet.
INSERT INTO jobs (kind, prompt, created_at, not_before)
SELECT 'model', p.id, :at, :at FROM prompts p JOIN sessions s ON s.id = p.session
 WHERE s.last_at BETWEEN :since AND :quiet_since AND p.ended_at IS NULL
   AND EXISTS (SELECT 1 FROM tool_uses t WHERE t.prompt = p.id AND t.id > p.model_uses)
ON CONFLICT (prompt, kind) DO UPDATE SET
  state = 'pending', not_before = :at, attempts = 0, error = '', finished_at = NULL
WHERE state = 'done'

-- links_of --
SELECT l.tool_use FROM observation_tool_uses l JOIN observations o ON o.id = l.observation
 WHERE o.id = ? AND o.prompt = ?

-- add_link --
INSERT OR IGNORE INTO observation_tool_uses (observation, tool_use) VALUES (?, ?)
