-- beyond_shard.sql: the rows of shard :shard, for beyond_shards.sql

CREATE TABLE crowd (id int, a int, b int, c text, d int, e int) WITH (autovacuum_enabled = false);
INSERT INTO crowd SELECT :shard * 100000000 + i, t % 50, t / 50 % 40, 'C' || t / 2000, :shard, t % 3
FROM (SELECT i, i * 7919 % 30000 AS t FROM generate_series(1, :rows::bigint) AS i) AS x;
CREATE TABLE each AS SELECT i % 100 AS a, i / 100 % 100 AS b, i / 10000 % 100 AS c, i / 1000000 AS d
FROM generate_series(0, :tuples - 1) AS i;
VACUUM ANALYZE crowd, each;
