#!/bin/sh
# Writes .env for docker compose: .env.example with fresh secrets. It keeps every value that is set already, so run it
# again after an upgrade.
set -eu
cd "$(dirname "$0")/.."
umask 077

random_hex() { od -An -v -tx1 -N"$1" /dev/urandom | tr -d ' \n'; }
random_base64() { head -c "$1" /dev/urandom | base64 | tr -d '\n'; }

# fill NAME VALUE: sets the variable unless it has a value.
fill() {
  grep -q "^$1=." .env && return 0
  if grep -q "^$1=" .env; then
    awk -v name="$1" -v value="$2" '$0 == name "=" { $0 = name "=" value } { print }' .env >.env.new
    mv .env.new .env
  else
    echo "$1=$2" >>.env
  fi
  echo "$1 is set in .env"
}

[ -e .env ] || cp .env.example .env
chmod 600 .env
fill SECRETS_KEY "$(random_base64 32)"
fill POSTGRES_PASSWORD "$(random_hex 24)"
fill REDIS_PASSWORD "$(random_hex 24)"
fill MANAGEMENT_PASSWORD "$(random_hex 12)"
fill SIMULATOR_TOKEN "$(random_hex 24)"
fill GRAFANA_PASSWORD "$(random_hex 12)"
echo 'Keep a copy of .env in a safe place: without SECRETS_KEY the stored webhook secrets and suppliers’ credentials are lost.'
