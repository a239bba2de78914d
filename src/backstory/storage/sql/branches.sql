-- checked --
-- When a project's branches were last looked at.
SELECT max(checked_at) FROM branches WHERE project = ?

-- states --
SELECT name, state FROM branches WHERE project = ?

-- names --
-- The branches that records were made on, those with the newest records first.
WITH RECURSIVE names (name) AS (
  SELECT min(branch) FROM observations WHERE project = :project AND branch > ''
  UNION ALL
  SELECT (SELECT min(branch) FROM observations WHERE project = :project AND branch > names.name)
    FROM names WHERE name IS NOT NULL)
SELECT name FROM names WHERE name IS NOT NULL
 ORDER BY (SELECT max(created_at) FROM observations WHERE project = :project AND branch = name) DESC
 LIMIT :limit

-- commits --
-- The commits that the newest records of a branch name, the newest first.
SELECT DISTINCT commit_id FROM (
  SELECT commit_id FROM observations WHERE project = ? AND branch = ?
   ORDER BY created_at DESC LIMIT 200)
 WHERE commit_id <> '' LIMIT 20

-- put --
INSERT INTO branches (project, name, state, checked_at) VALUES (:project, :name, :state, :at)
ON CONFLICT (project, name) DO UPDATE SET state = :state, checked_at = :at

-- root --
SELECT root FROM projects WHERE id = ?

-- recent --
-- The projects of the newest sessions.
SELECT project FROM (SELECT project, max(last_at) AS at FROM sessions GROUP BY project)
 ORDER BY at DESC LIMIT ?
