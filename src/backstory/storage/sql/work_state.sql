-- newest --
-- A project's states, the one in force first.
SELECT w.id, w.task, w.next_steps, w.open_questions, w.blockers, w.branch, w.created_at,
       s.session_id
  FROM work_states w LEFT JOIN sessions s ON s.id = w.session
 WHERE w.project = ? ORDER BY w.id DESC LIMIT ?

-- add --
INSERT INTO work_states (project, session, branch, task, next_steps, open_questions, blockers,
                         created_at)
VALUES (:project, :session, :branch, :task, :next_steps, :open_questions, :blockers, :at)
RETURNING id

-- drop old --
DELETE FROM work_states WHERE project = :project AND id <= (
  SELECT id FROM work_states WHERE project = :project ORDER BY id DESC LIMIT 1 OFFSET :kept)

-- session --
-- The session that most likely writes: the newest in this folder, and one that began right here
-- before one that began further down. One that went incognito ends unseen: it counts for a day.
SELECT id, session_id, ended_at FROM sessions
 WHERE project = :project AND last_at >= :since
   AND :folder IN (cwd, CASE worktree WHEN '' THEN root ELSE worktree END)
 ORDER BY cwd = :folder DESC, last_at DESC, id DESC LIMIT 1
