#!/bin/sh
# Replaces the API's processes, then the workers, by those of the image that .env names, without a gap: new processes start
# beside the old ones, which drain once the new ones are ready. Meanwhile PostgreSQL needs connections for twice as many
# processes.
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
  # Each container has its own stop_grace_period.
  # shellcheck disable=SC2086
  docker stop $old >/dev/null
  # shellcheck disable=SC2086
  docker rm $old >/dev/null
done
docker compose ps api worker
