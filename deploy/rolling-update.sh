#!/bin/sh
# Migrates the schema, then replaces the API's processes, then the workers, by those of the image that .env names, without a
# gap: new processes start beside the old ones, which drain once the new ones are ready. Meanwhile PostgreSQL needs connections
# for twice as many processes.
set -eu
cd "$(dirname "$0")/.."
trap 'exit 1' HUP INT TERM

# The service's containers, also stopped ones, but none of `docker compose run`.
containers() {
  docker ps -aq --no-trunc --filter "label=com.docker.compose.project=$project" \
    --filter "label=com.docker.compose.service=$service" --filter label=com.docker.compose.oneoff=False
}

# Waits ten minutes for the containers that this run has started. Old ones do not count: the update may be their cure.
await_new() {
  new=$(containers | grep -vxF "$before")
  polls=0
  while [ "$polls" -lt 120 ]; do
    # shellcheck disable=SC2086
    states=$(docker inspect -f '{{.State.Status}} {{with .State.Health}}{{.Status}}{{else}}none{{end}}' $new)
    case "$states" in *unhealthy* | *exited* | *dead* | *restarting*) return 1 ;; esac
    echo "$states" | grep -qvxE 'running (healthy|none)' || return 0
    sleep 5
    polls=$((polls + 1))
  done
  return 1
}

# Removes containers, each after its own stop_grace_period. A signal ends the script afterwards: if old processes stayed beside the
# new ones, the next run would double both. Ctrl-C also ends a `docker stop`, which handles the signal itself: once more.
remove() (
  trap '' HUP INT TERM
  # shellcheck disable=SC2086
  { docker stop $1 || docker stop $1; } && docker rm $1
) >/dev/null

# Removes the containers that this run has started, so that the next run does not double them.
undo() {
  trap '' HUP INT TERM
  new=$(containers | grep -vxF "$before")
  for container in $new; do
    docker logs --tail 20 "$container" >&2
  done
  [ -z "$new" ] || remove "$new"
  echo "$service: the new processes did not get ready and were removed. The old ones continue. Correct the cause that the lines" \
    "above name, and run this script again." >&2
  exit 1
}

# `run` would build a missing image from this checkout, which may be of another version. The list also has the images of
# PostgreSQL and Redis, which nothing here needs.
# shellcheck disable=SC2046
docker image inspect $(docker compose config --images api worker |
  grep -vxF "$(docker compose config --images postgres redis)") >/dev/null
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
  # shellcheck disable=SC2086
  project=$(docker inspect -f '{{index .Config.Labels "com.docker.compose.project"}}' $old | head -n 1)
  before=$(containers)
  trap 'set +e; undo' EXIT
  # Containers that had stopped count for the scale, too: without them, `up` would start them and no new one.
  docker compose up -d --no-deps --no-build --no-recreate \
    --scale "$service=$(($(echo "$before" | wc -w) + count))" "$service"
  await_new
  trap - EXIT
  remove "$before"
done
docker compose ps api worker
