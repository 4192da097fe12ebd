#!/bin/sh
# Migrates the schema, then replaces the API's processes, then the workers, by those of the image that .env names, without a
# gap: new processes start beside the old ones, which drain once the new ones are ready. Meanwhile PostgreSQL needs connections
# for twice as many processes.
set -eu
cd "$(dirname "$0")/.."
trap 'exit 1' INT TERM

# Removes the containers that this run has started, so that the next run does not double them.
undo() {
  new=$(docker compose ps -aq "$service" | grep -vxF "$before")
  for container in $new; do
    docker logs --tail 20 "$container" >&2
  done
  # Each container has its own stop_grace_period.
  # shellcheck disable=SC2086
  [ -z "$new" ] || { docker stop $new && docker rm $new; } >/dev/null
  echo "$service: the new processes did not get ready and were removed. The old ones continue. Correct the cause that the lines" \
    "above name, and run this script again." >&2
  exit 1
}

# `run` would build a missing image from this checkout, which may be of another version.
# shellcheck disable=SC2046
docker image inspect $(docker compose config --images api worker) >/dev/null
# An API opens its port before the schema is ready. nginx would send requests there for as long as the migration takes.
docker compose run --rm --no-deps -T api node dist/src/migrate.js

for service in api worker; do
  old=$(docker compose ps -q "$service")
  count=$(echo "$old" | wc -w)
  if [ "$count" -eq 0 ]; then
    docker compose up -d --no-deps --no-build --wait "$service"
    continue
  fi
  echo "$service: $count new beside $count old"
  before=$(docker compose ps -aq "$service")
  trap 'set +e; undo' EXIT
  docker compose up -d --no-deps --no-build --no-recreate --wait --scale "$service=$((count * 2))" "$service"
  trap - EXIT
  # shellcheck disable=SC2086
  docker stop $old >/dev/null
  # shellcheck disable=SC2086
  docker rm $old >/dev/null
done
docker compose ps api worker
