import { LATE_MS } from './rate-buckets.js';

/**
 * Adds a process's admitted hits to the shared buckets, one key per bucket. For each bucket, ARGV has the hits a second, the
 * hits to add, and the time of the first hit in milliseconds of Redis' clock, 0 if unknown.
 * Returns Redis' time and the level of each bucket.
 *
 * - A bucket is stored as a level and its time. A time in the future, after the clock was set back, is treated as now.
 * - Late hits have partly drained before they arrive. The limit itself allows for the first part of the delay, LATE_MS.
 * - A bucket is capped so that it admits again within a second.
 */
export const FILL_SHARED_BUCKETS = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local answer = { string.format('%.0f', now) }
for n, key in ipairs(KEYS) do
  local per_ms = tonumber(ARGV[3 * n - 2]) / 1000
  local hits = tonumber(ARGV[3 * n - 1])
  local since = tonumber(ARGV[3 * n])
  local level = -math.huge
  local is_changed = hits > 0
  local kept = redis.call('GET', key)
  if kept then
    local kept_level, kept_at = string.match(kept, '^(%S+) (%S+)$')
    local passed = now - tonumber(kept_at)
    level = tonumber(kept_level) - math.max(0, passed) * per_ms
    is_changed = is_changed or passed < 0
  end
  if hits > 0 then
    local age = since == 0 and 1000 or math.max(0, now - since)
    hits = math.max(0, hits - math.max(0, age - ${LATE_MS}) * per_ms)
    level = math.max(level, -math.min(age, ${LATE_MS}) * per_ms) + hits
    level = math.min(level, (2000 + ${LATE_MS}) * per_ms - 1)
  end
  if is_changed then
    local kept_ms = math.ceil(math.max(0, level) / per_ms) + 1000
    redis.call('SET', key, string.format('%.3f %.0f', level, now), 'PX', kept_ms)
  end
  answer[n + 1] = string.format('%.3f', math.max(0, level))
end
return answer`;
