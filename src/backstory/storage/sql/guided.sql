-- mem_search from one call to the next: ids and bounds, no words of the query.

-- begin --
INSERT INTO guided_searches (continuation, project, relay, step, bounds, ids, created_at)
VALUES (:continuation, :project, :relay, 1, :bounds, :ids, :now)

-- standing --
-- a foreign one and an expired one are found as little as one that never was
SELECT step, bounds, ids FROM guided_searches
WHERE continuation = :continuation AND project = :project AND relay = :relay
  AND created_at > :oldest

-- advance --
-- whoever comes second finds another step and changes nothing
UPDATE guided_searches SET step = :step, bounds = :bounds, ids = :ids
WHERE continuation = :continuation AND project = :project AND relay = :relay
  AND created_at > :oldest AND step = :step - 1

-- expire --
DELETE FROM guided_searches WHERE created_at <= :oldest

-- crowd --
-- all but the newest of a project
DELETE FROM guided_searches WHERE continuation IN (
  SELECT continuation FROM guided_searches WHERE project = :project
  ORDER BY created_at DESC, continuation LIMIT -1 OFFSET :kept)
