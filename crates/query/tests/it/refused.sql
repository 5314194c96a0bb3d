-- Queries that would leak, each with a part of the reason for which it is refused.

-- reason: row-level output
SELECT * FROM events

-- reason: row-level output
SELECT user_id FROM events

-- reason: row-level output
SELECT city, income FROM events WHERE age = 33

-- reason: row-level output
SELECT e.* FROM events e JOIN users u ON e.user_id = u.id

-- reason: row-level output
SELECT UPPER(city) FROM events

-- reason: row-level output
SELECT * FROM votes

-- reason: row-level output
SELECT amount FROM transfers

-- reason: row-level output
SELECT c.region, e.income FROM events e JOIN cities c ON e.city = c.city

-- reason: row-level output
SELECT user_id, COUNT(*) FROM events GROUP BY user_id

-- reason: row-level output
SELECT user_id, SUM(income) FROM events GROUP BY user_id HAVING SUM(income) > 1000

-- reason: row-level output
SELECT account_id, SUM(amount) FROM transfers GROUP BY account_id

-- reason: row-level output
SELECT city FROM events UNION ALL SELECT city FROM events

-- reason: row-level output
SELECT DISTINCT user_id FROM events

-- reason: row-level output
SELECT 1 FROM events

-- reason: row-level output
WITH t AS (SELECT * FROM events) SELECT * FROM t

-- reason: row-level output
SELECT user_id FROM events EXCEPT SELECT id FROM users

-- reason: row-level output
SELECT user_id FROM events INTERSECT SELECT id FROM users

-- reason: ORDER BY over private rows
SELECT income FROM events ORDER BY income

-- reason: ORDER BY over private rows
SELECT * FROM events ORDER BY income DESC LIMIT 1

-- reason: ORDER BY over private rows
SELECT SUM(income) FROM (SELECT income FROM events ORDER BY income DESC LIMIT 1)

-- reason: ORDER BY over private rows
SELECT user_id FROM events GROUP BY user_id ORDER BY COUNT(*) DESC

-- reason: LIMIT over private rows
SELECT * FROM events LIMIT 10

-- reason: LIMIT over private rows
SELECT COUNT(*) FROM (SELECT * FROM events LIMIT 10)

-- reason: LIMIT over private rows
SELECT SUM(income) FROM (SELECT income FROM events OFFSET 5)

-- reason: LIMIT over private rows
SELECT AVG(weight) FROM (SELECT weight FROM votes LIMIT 1)

-- reason: LIMIT over private rows
WITH t AS (SELECT user_id, income FROM events LIMIT 1) SELECT SUM(income) FROM t

-- reason: DISTINCT over private rows
SELECT DISTINCT city FROM events

-- reason: DISTINCT over private rows
SELECT COUNT(*) FROM (SELECT DISTINCT city FROM events)

-- reason: DISTINCT over private rows
SELECT COUNT(*) FROM (SELECT city FROM events UNION SELECT city FROM events)

-- reason: DISTINCT over private rows
SELECT COUNT(*) FROM (SELECT DISTINCT choice FROM votes)

-- reason: DISTINCT ON over private rows
SELECT DISTINCT ON (city) city, income FROM events

-- reason: DISTINCT ON over private rows
SELECT SUM(income) FROM (SELECT DISTINCT ON (city) income FROM events)

-- reason: window function over private rows
SELECT ROW_NUMBER() OVER (ORDER BY income) FROM events

-- reason: window function over private rows
SELECT SUM(income) OVER () FROM events

-- reason: window function over private rows
SELECT COUNT(*) FROM (SELECT RANK() OVER (PARTITION BY city ORDER BY income) AS r FROM events) WHERE r = 1

-- reason: window function over private rows
SELECT AVG(d) FROM (SELECT age - LAG(age) OVER (ORDER BY ts) AS d FROM events)

-- reason: window function over private rows
SELECT MAX(n) FROM (SELECT COUNT(*) OVER (PARTITION BY user_id) AS n FROM events)

-- reason: cannot be planned
SELECT COUNT(*) FROM events QUALIFY ROW_NUMBER() OVER (ORDER BY income) = 1

-- reason: a row would belong to two units
SELECT COUNT(*) FROM events a JOIN events b ON a.city = b.city

-- reason: a row would belong to two units
SELECT COUNT(*) FROM events a, events b

-- reason: a row would belong to two units
SELECT COUNT(*) FROM events a CROSS JOIN users b

-- reason: a row would belong to two units
SELECT COUNT(*) FROM events a JOIN users b ON a.user_id > b.id

-- reason: a row would belong to two units
SELECT COUNT(*) FROM events a JOIN users b ON a.user_id = b.id + 1

-- reason: a row would belong to two units
SELECT COUNT(*) FROM events a JOIN users b ON a.user_id = b.id OR a.age > 3

-- reason: a row would belong to two units
SELECT COUNT(*) FROM events a JOIN users b ON a.age = b.id

-- reason: a row would belong to two units
SELECT COUNT(*) FROM events e JOIN patients p ON e.user_id = p.pid

-- reason: a row would belong to two units
SELECT COUNT(*) FROM events e JOIN patients p ON e.age = p.age

-- reason: a row would belong to two units
SELECT COUNT(*) FROM votes a JOIN votes b ON a.choice = b.choice

-- reason: a row would belong to two units
SELECT COUNT(*) FROM votes v JOIN events e ON v.weight = e.age

-- reason: a row would belong to two units
SELECT COUNT(*) FROM transfers t JOIN accounts a ON t.id = a.id

-- reason: a row would belong to two units
SELECT COUNT(*) FROM events WHERE city IN (SELECT city FROM events WHERE age = 33)

-- reason: a row would belong to two units
SELECT COUNT(*) FROM events WHERE user_id IN (SELECT pid FROM patients)

-- reason: a row would belong to two units
SELECT COUNT(*) FROM events e WHERE EXISTS (SELECT 1 FROM users u WHERE u.height > 2)

-- reason: a row would belong to two units
SELECT COUNT(*) FROM events e WHERE NOT EXISTS (SELECT 1 FROM events f WHERE f.city = e.city AND f.age > e.age)

-- reason: a row would belong to two units
SELECT COUNT(*) FROM events WHERE age > 100 OR city IN (SELECT city FROM events WHERE age = 33)

-- reason: a row would belong to two units
SELECT COUNT(*) FROM (SELECT city FROM events EXCEPT ALL SELECT city FROM events WHERE age = 33)

-- reason: a row would belong to two units
SELECT COUNT(*) FROM events NATURAL JOIN patients

-- reason: full join
SELECT COUNT(*) FROM events e FULL JOIN users u ON e.user_id = u.id

-- reason: rows without a unit
SELECT COUNT(*) FROM cities c LEFT JOIN events e ON e.city = c.city

-- reason: rows without a unit
SELECT COUNT(*) FROM events e RIGHT JOIN cities c ON e.city = c.city

-- reason: rows without a unit
SELECT COUNT(*) FROM events e FULL JOIN cities c ON e.city = c.city

-- reason: rows without a unit
SELECT city FROM cities WHERE city IN (SELECT city FROM events)

-- reason: rows without a unit
SELECT city FROM cities c WHERE EXISTS (SELECT 1 FROM events e WHERE e.city = c.city AND e.age = 33)

-- reason: rows without a unit
SELECT city FROM cities WHERE city NOT IN (SELECT city FROM events)

-- reason: rows without a unit
SELECT city FROM cities EXCEPT SELECT city FROM events

-- reason: rows without a unit
SELECT city FROM cities INTERSECT SELECT city FROM events

-- reason: each private row is a unit
SELECT COUNT(*) FROM votes v JOIN cities c ON v.choice = c.city

-- reason: each private row is a unit
SELECT COUNT(*) FROM votes CROSS JOIN cities

-- reason: each private row is a unit
SELECT SUM(v.weight) FROM votes v LEFT JOIN cities c ON v.choice = c.region

-- reason: each private row is a unit
SELECT COUNT(*) FROM votes v JOIN (SELECT DISTINCT city, region FROM cities) c ON v.choice = c.city

-- reason: each private row is a unit
SELECT COUNT(*) FROM votes v JOIN (SELECT city, region FROM cities GROUP BY city, region) c ON v.choice = c.city

-- reason: UNION over private rows
SELECT COUNT(*) FROM (SELECT choice FROM votes UNION ALL SELECT choice FROM votes)

-- reason: UNION over private rows
SELECT COUNT(*) FROM (SELECT age FROM events UNION ALL SELECT age FROM patients)

-- reason: UNION over private rows
SELECT COUNT(*) FROM (SELECT city FROM events UNION ALL SELECT city FROM cities)

-- reason: would be used on private rows
SELECT COUNT(*) FROM events e JOIN (SELECT city, COUNT(*) AS n FROM events GROUP BY city) t ON e.city = t.city WHERE t.n > 10

-- reason: UNION over private rows
SELECT COUNT(*) FROM (SELECT city FROM events UNION ALL SELECT city FROM events GROUP BY city)

-- reason: would be used on private rows
SELECT COUNT(*) FROM events WHERE city IN (SELECT city FROM events GROUP BY city HAVING COUNT(*) > 10)

-- reason: scalar sub-query
SELECT COUNT(*) FROM events WHERE income > (SELECT AVG(income) FROM events)

-- reason: scalar sub-query
SELECT COUNT(*) FROM events WHERE income = (SELECT MAX(income) FROM events)

-- reason: scalar sub-query
SELECT SUM(age - (SELECT AVG(age) FROM events)) FROM events

-- reason: sub-query
SELECT (SELECT income FROM events WHERE user_id = 33)

-- reason: sub-query
SELECT region, (SELECT MAX(income) FROM events e WHERE e.city = c.city) FROM cities c

-- reason: sub-query
SELECT COUNT(*) FROM events e WHERE age > (SELECT AVG(f.age) FROM events f WHERE f.city = e.city)

-- reason: sub-query
SELECT city FROM cities WHERE population > ALL (SELECT income FROM events)

-- reason: sub-query
SELECT COUNT(*) FROM cities WHERE population = ANY (SELECT age FROM events)

-- reason: sub-query
SELECT EXISTS (SELECT 1 FROM events WHERE age = 33)

-- reason: recursive
WITH RECURSIVE t AS (SELECT user_id FROM events UNION ALL SELECT user_id FROM t) SELECT COUNT(*) FROM t

-- reason: TABLESAMPLE
SELECT COUNT(*) FROM events TABLESAMPLE BERNOULLI (10)

-- reason: range is not known
SELECT SUM(free) FROM events

-- reason: range is not known
SELECT AVG(free) FROM events

-- reason: range is not known
SELECT MEDIAN(free) FROM events

-- reason: range is not known
SELECT MAX(free) FROM events

-- reason: range is not known
SELECT SUM(CAST(city AS DOUBLE)) FROM events

-- reason: range is not known
SELECT SUM(age) FROM (SELECT free AS age FROM events)

-- reason: how large it may be is not known
SELECT AVG(n) FROM (SELECT user_id, COUNT(*) AS n FROM events GROUP BY user_id)

-- reason: range is not known
SELECT AVG(n) FROM (SELECT user_id, SUM(income) AS n FROM events GROUP BY user_id)

-- reason: how large it may be is not known
SELECT SUM(free) FROM events WHERE free > 0

-- reason: needs a number
SELECT MIN(city) FROM events

-- reason: needs a number
SELECT MAX(ts) FROM events

-- reason: no private form
SELECT ARRAY_AGG(income) FROM events

-- reason: no private form
SELECT STRING_AGG(city, ',') FROM events

-- reason: no private form
SELECT FIRST_VALUE(income) FROM events

-- reason: no private form
SELECT FIRST_VALUE(income ORDER BY ts) FROM events

-- reason: no private form
SELECT LAST_VALUE(city) FROM events

-- reason: no private form
SELECT NTH_VALUE(income, 1) FROM events

-- reason: no private form
SELECT CORR(age, income) FROM events

-- reason: no private form
SELECT BIT_XOR(age) FROM events

-- reason: no private form
SELECT BOOL_OR(flag) FROM events

-- reason: no private form
SELECT REGR_SLOPE(age, income) FROM events

-- reason: no private form
SELECT SUM(income ORDER BY ts) FROM events

-- reason: a repeated one
SELECT SUM(DISTINCT age) FROM events

-- reason: a repeated one
SELECT AVG(DISTINCT income) FROM events

-- reason: by unit
SELECT COUNT(*) FROM (SELECT user_id, ARRAY_AGG(city) AS c FROM events GROUP BY user_id)

-- reason: by unit
SELECT AVG(m) FROM (SELECT user_id, MEDIAN(age) AS m FROM events GROUP BY user_id)

-- reason: by unit
SELECT AVG(m) FROM (SELECT user_id, FIRST_VALUE(age) AS m FROM events GROUP BY user_id)

-- reason: random()
SELECT COUNT(*) FROM events WHERE random() < 0.5

-- reason: random()
SELECT COUNT(*) + random() FROM events

-- reason: uuid()
SELECT uuid(), COUNT(*) FROM events

-- reason: random()
SELECT random() FROM cities

-- reason: no table
SELECT * FROM information_schema.tables

-- reason: no table
SELECT table_name FROM information_schema.columns

-- reason: no table
SELECT * FROM datafusion.public.events

-- reason: no table
SELECT * FROM 'events.csv'

-- reason: no table
SELECT * FROM "/etc/passwd"

-- reason: not supported
SELECT * FROM generate_series(1, 10)

-- reason: not supported
SELECT * FROM parquet_metadata('events.parquet')

-- reason: reserved
SELECT __throng_unit FROM events

-- reason: reserved
SELECT COUNT(*) FROM __throng_answer_0

-- reason: reserved
SELECT COUNT(*) AS "__THRONG_unit_1" FROM events

-- reason: only queries
CREATE TABLE t AS SELECT * FROM events

-- reason: only queries
CREATE VIEW v AS SELECT * FROM events

-- reason: cannot be
CREATE EXTERNAL TABLE t STORED AS CSV LOCATION '/etc/passwd'

-- reason: only queries
INSERT INTO cities SELECT city, city, age FROM events

-- reason: only queries
UPDATE events SET age = 3

-- reason: only queries
DELETE FROM events

-- reason: only queries
DROP TABLE events

-- reason: only queries
COPY events TO '/tmp/out.csv'

-- reason: only queries
COPY (SELECT * FROM events) TO 'out.parquet'

-- reason: only queries
SET datafusion.execution.batch_size = 1

-- reason: only queries
SHOW TABLES

-- reason: only queries
SHOW ALL

-- reason: only queries
EXPLAIN SELECT * FROM events

-- reason: only queries
EXPLAIN ANALYZE SELECT COUNT(*) FROM events

-- reason: only queries
DESCRIBE events

-- reason: only queries
PREPARE p AS SELECT * FROM events

-- reason: only queries
EXECUTE p

-- reason: only queries
BEGIN

-- reason: only queries
SELECT * INTO t FROM events

-- reason: only queries
TRUNCATE TABLE events

-- reason: parameters
SELECT COUNT(*) FROM events WHERE age = $1

-- reason: variable
SELECT COUNT(*) FROM events WHERE age = @x

-- reason: row-level output
SELECT COUNT(*) FROM events; SELECT * FROM events

-- reason: row-level output
SELECT * FROM (VALUES (1)) AS v (x), events

-- reason: sub-query
SELECT * FROM cities c, LATERAL (SELECT * FROM events e WHERE e.city = c.city) AS t

-- reason: cannot be planned
SELECT COUNT(*) FROM (SELECT UNNEST(make_array(age, 1)) FROM events)
