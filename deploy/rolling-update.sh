#!/bin/sh
# Replaces the API's processes, then the workers, by ones of the image that .env names, without a gap: new ones start
# beside the old ones, and the old ones drain once the new ones are ready. For that time PostgreSQL needs connections for
# twice as many processes.
set -eu
cd "$(dirname "$0")/.."

for service in api worker; do
  old=$(docker compose ps -q "$service")
  count=$(echo "$old" | wc -w)
  if [ "$count" -eq 0 ]; then
    docker compose up -d --no-deps --no-build --wait "$service"
    continue
  fi
  echo "$service: $count new beside $count old"
  docker compose up -d --no-deps --no-build --no-recreate --wait --scale "$service=$((count * 2))" "$service"
  # Each in its own time: the container knows its stop_grace_period.
  # shellcheck disable=SC2086
  docker stop $old >/dev/null
  # shellcheck disable=SC2086
  docker rm $old >/dev/null
done
docker compose ps api worker
