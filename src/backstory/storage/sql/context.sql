-- project_by_key --
SELECT project FROM project_keys WHERE key = ?

-- root --
-- The folder that a project was last seen in.
SELECT root FROM projects WHERE id = ?

-- session --
SELECT id, project FROM sessions WHERE session_id = ?

-- session_branch --
-- The branch of a project's newest session.
SELECT branch FROM sessions WHERE project = ? ORDER BY started_at DESC, id DESC LIMIT 1

-- branch_states --
SELECT name, state FROM branches WHERE project = ?

-- newest --
-- Candidates for the index: what may be injected, newest first.
SELECT o.id, o.type, o.title, o.created_at, o.tokens, o.importance, o.session, o.evidence,
       o.concepts, o.agent_type, o.branch, o.distilled_by
  FROM observations o
 WHERE o.project = ? AND o.tainted = 0 AND o.superseded_by IS NULL
 ORDER BY o.created_at DESC, o.id DESC LIMIT ?

-- mattering --
-- What matters however old it is; the conditions are those of the index observations_that_matter.
SELECT o.id, o.type, o.title, o.created_at, o.tokens, o.importance, o.session, o.evidence,
       o.concepts, o.agent_type, o.branch, o.distilled_by
  FROM observations o
 WHERE o.project = ? AND o.tainted = 0 AND o.superseded_by IS NULL
   AND (o.type IN ('decision', 'security_alert', 'security_note', 'sensitive')
     OR instr(o.concepts, '"gotcha"') > 0 OR o.distilled_by = 'user'
     OR (o.importance > 2 AND o.type <> 'bugfix')
     OR instr(lower(o.title), 'unfinished') > 0 OR instr(lower(o.title), 'half-done') > 0
     OR instr(lower(o.title), 'half done') > 0 OR instr(lower(o.title), 'half-finished') > 0
     OR instr(lower(o.title), 'halfway') > 0 OR instr(lower(o.title), 'incomplete') > 0
     OR instr(lower(o.title), 'not finished') > 0 OR instr(lower(o.title), 'not yet') > 0
     OR instr(lower(o.title), 'not done') > 0 OR instr(lower(o.title), 'not resolved') > 0
     OR instr(lower(o.title), 'unresolved') > 0 OR instr(lower(o.title), 'unsolved') > 0
     OR instr(lower(o.title), 'untested') > 0 OR instr(lower(o.title), 'still to ') > 0
     OR instr(lower(o.title), 'still missing') > 0 OR instr(lower(o.title), 'still fail') > 0
     OR instr(lower(o.title), 'still broken') > 0 OR instr(lower(o.title), 'still open') > 0
     OR instr(lower(o.title), 'still need') > 0 OR instr(lower(o.title), 'left to ') > 0
     OR instr(lower(o.title), 'left off') > 0 OR instr(lower(o.title), 'left out') > 0
     OR instr(lower(o.title), 'left open') > 0 OR instr(lower(o.title), 'to be done') > 0
     OR instr(lower(o.title), 'to do:') > 0 OR instr(lower(o.title), 'todo') > 0
     OR instr(lower(o.title), 'to-do') > 0 OR instr(lower(o.title), 'in progress') > 0
     OR instr(lower(o.title), 'paused') > 0 OR instr(lower(o.title), 'blocked') > 0
     OR instr(lower(o.title), 'outstanding') > 0 OR instr(lower(o.title), 'to follow') > 0
     OR instr(lower(o.title), 'follow-up') > 0 OR instr(lower(o.title), 'next step') > 0
     OR instr(lower(o.title), 'open question') > 0 OR instr(lower(o.title), 'open:') > 0
     OR instr(lower(o.title), 'remaining') > 0 OR instr(lower(o.title), 'needs to be') > 0
     OR instr(lower(o.title), 'second pass') > 0 OR instr(lower(o.title), 'stopped before') > 0
     OR instr(lower(o.title), 'wip') > 0 OR instr(lower(o.title), 'tbd') > 0
     OR instr(lower(o.title), 'fixme') > 0 OR instr(lower(o.title), ' fails: ') > 0
     OR instr(lower(o.title), 'flaky') > 0 OR instr(lower(o.title), 'intermittent') > 0
     OR instr(lower(o.title), 'only sometimes') > 0 OR instr(lower(o.title), 'cause unknown') > 0
     OR instr(lower(o.title), 'unknown cause') > 0 OR instr(lower(o.title), 'cause is unknown') > 0
     OR instr(lower(o.title), 'cause unclear') > 0 OR instr(lower(o.title), 'unexplained') > 0
     OR instr(lower(o.title), 'not reproduc') > 0 OR instr(lower(o.title), 'cannot reproduce') > 0
     OR instr(lower(o.title), 'can''t reproduce') > 0 OR instr(lower(o.title), 'not understood') > 0
     OR instr(lower(o.title), '未完') > 0 OR instr(lower(o.title), '待办') > 0
     OR instr(lower(o.title), '未対応') > 0 OR instr(lower(o.title), '未解決') > 0
     OR instr(lower(o.title), '未実装') > 0 OR instr(lower(o.title), '暂时') > 0
     OR instr(lower(o.title), '미완성') > 0 OR instr(lower(o.title), 'pendient') > 0
     OR instr(lower(o.title), 'à faire') > 0 OR instr(lower(o.title), 'inachevé') > 0
     OR instr(lower(o.title), 'noch offen') > 0 OR instr(lower(o.title), 'offene') > 0
     OR instr(lower(o.title), 'vorläufig') > 0 OR instr(lower(o.title), 'steht aus') > 0
     OR instr(lower(o.title), 'en espera') > 0 OR instr(lower(o.title), 'en attente') > 0
     OR instr(lower(o.title), 'не законч') > 0 OR instr(lower(o.title), 'незаверш') > 0
     OR instr(lower(o.title), 'временно') > 0
     OR (instr(lower(o.title), 'fixed ') <> 1
       AND instr(lower(o.title), 'added ') <> 1
       AND instr(lower(o.title), 'removed ') <> 1
       AND instr(lower(o.title), 'renamed ') <> 1
       AND instr(lower(o.title), 'commit ') <> 1
       AND instr(lower(o.title), 'installed ') <> 1
       AND instr(lower(o.title), 'moved ') <> 1
       AND instr(lower(o.title), ' passes: ') = 0
       AND (instr(lower(o.title), 'for now') > 0
         OR instr(lower(o.title), 'pending') > 0 OR instr(lower(o.title), 'temporar') > 0
         OR instr(lower(o.title), 'placeholder') > 0 OR instr(lower(o.title), 'stub') > 0
         OR instr(lower(o.title), 'missing') > 0 OR instr(lower(o.title), 'disabled') > 0
         OR instr(lower(o.title), 'skipped') > 0 OR instr(lower(o.title), 'needs ') > 0
         OR instr(lower(o.title), 'workaround') > 0)))
 ORDER BY o.created_at DESC LIMIT ?

-- laid_down --
-- What was decided or saved by hand; the conditions are those of the index observations_laid_down.
SELECT o.id, o.type, o.title, o.created_at, o.tokens, o.importance, o.session, o.evidence,
       o.concepts, o.agent_type, o.branch, o.distilled_by
  FROM observations o
 WHERE o.project = ? AND o.tainted = 0 AND o.superseded_by IS NULL
   AND (o.type = 'decision' OR o.distilled_by = 'user')
 ORDER BY o.created_at DESC LIMIT ?

-- of_session --
-- The records of one session: after compaction they come first.
SELECT o.id, o.type, o.title, o.created_at, o.tokens, o.importance, o.session, o.evidence,
       o.concepts, o.agent_type, o.branch, o.distilled_by
  FROM observations o
 WHERE o.session = ? AND o.tainted = 0 AND o.superseded_by IS NULL
 ORDER BY o.created_at DESC, o.id DESC LIMIT ?

-- of_branch --
SELECT o.id, o.type, o.title, o.created_at, o.tokens, o.importance, o.session, o.evidence,
       o.concepts, o.agent_type, o.branch, o.distilled_by
  FROM observations o
 WHERE o.project = ? AND o.branch = ? AND o.tainted = 0 AND o.superseded_by IS NULL
 ORDER BY o.created_at DESC LIMIT ?

-- branch_paths --
-- The files that were written on a branch, the newest first.
SELECT f.path
  FROM observations o JOIN observation_files f ON f.observation = o.id AND f.mode = 'modified'
 WHERE o.project = ? AND o.branch = ?
 ORDER BY o.created_at DESC, f.path LIMIT ?

-- on_path --
-- The newest records on a file that other branches have.
SELECT DISTINCT o.id, o.type, o.title, o.created_at, o.tokens, o.importance, o.session, o.evidence,
       o.concepts, o.agent_type, o.branch, o.distilled_by
  FROM (SELECT observation FROM observation_files WHERE path = ?
         ORDER BY observation DESC LIMIT 400) f
  JOIN observations o ON o.id = f.observation
 WHERE o.project = ? AND o.branch <> ? AND o.tainted = 0 AND o.superseded_by IS NULL
 ORDER BY o.id DESC LIMIT ?

-- files --
-- The files of a record, those that it changed first.
SELECT path, mode FROM observation_files WHERE observation = ? ORDER BY mode, path LIMIT ?

-- whole --
SELECT narrative, facts FROM observations WHERE id = ?

-- count --
-- How many records there are beyond those shown; counting stops where it no longer matters.
SELECT count(*) FROM (SELECT 1 FROM observations WHERE project = ? LIMIT 10000)

-- last_summary --
SELECT id, request, investigated, learned, completed, next_steps, created_at, session
  FROM summaries
 WHERE project = ? AND tainted = 0 ORDER BY created_at DESC, id DESC LIMIT 1

-- last_summary_of --
-- The newest summary of one session.
SELECT id, request, investigated, learned, completed, next_steps, created_at, session
  FROM summaries
 WHERE session = ? AND tainted = 0 ORDER BY created_at DESC, id DESC LIMIT 1

-- latest_sessions --
SELECT id FROM sessions WHERE project = ? ORDER BY started_at DESC, id DESC LIMIT ?
