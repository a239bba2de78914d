-- What vectors cost, how many there are and are still to be made, and whose records they are of.
-- :name, :within: the embedder in use has this name, or one that begins so.

-- spent --
-- Of a day, by one provider: what was billed, and what is under way or lost.
SELECT coalesce(sum(tokens_in), 0) FROM (
  SELECT tokens_in FROM ledger WHERE at >= :since AND at < :until AND provider = :provider
  UNION ALL
  SELECT tokens_in FROM reservations WHERE at >= :since AND at < :until AND provider = :provider)

-- made --
WITH used AS (
  SELECT id FROM embedders WHERE name = :name OR substr(name, 1, length(:within)) = :within)
SELECT (SELECT count(*) FROM vectors WHERE embedder IN (SELECT id FROM used))
  - (SELECT count(*) FROM vectors WHERE length(vector) < 2 AND embedder IN (SELECT id FROM used))

-- without --
-- Rows that have none on purpose: kept from an embedder, and refused by it.
SELECT coalesce(sum(vector = x''), 0), coalesce(sum(vector = x'00'), 0) FROM vectors
WHERE length(vector) < 2

-- project folders --
SELECT DISTINCT p.root, coalesce(s.root, p.root), coalesce(s.cwd, p.root)
FROM projects p LEFT JOIN sessions s ON s.project = p.id
WHERE p.id IN (SELECT value FROM json_each(:ids))

-- to make anew --
-- Of other embedders, and not yet among those that wait.
SELECT count(*) FROM vectors v WHERE v.embedder IN (
    SELECT id FROM embedders WHERE name <> :name AND substr(name, 1, length(:within)) <> :within)
  AND NOT EXISTS (SELECT 1 FROM unembedded u WHERE u.row = v.row)

-- has others --
SELECT EXISTS (SELECT 1 FROM embedders e
  WHERE e.name <> :name AND substr(e.name, 1, length(:within)) <> :within
    AND EXISTS (SELECT 1 FROM vectors v WHERE v.embedder = e.id))

-- folders --
-- Of rows of the index: the folders that they come from.
SELECT r.value, coalesce(s.root, p.root), coalesce(s.cwd, p.root) FROM json_each(:rows) r
  LEFT JOIN observations o ON r.value & 3 = 0 AND o.id = r.value >> 2
  LEFT JOIN summaries u ON r.value & 3 = 1 AND u.id = r.value >> 2
  LEFT JOIN prompts q ON r.value & 3 = 2 AND q.id = r.value >> 2
  LEFT JOIN sessions s ON s.id = coalesce(o.session, u.session, q.session)
  JOIN projects p ON p.id = coalesce(o.project, u.project, q.project)
