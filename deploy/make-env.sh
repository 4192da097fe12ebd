#!/bin/sh
# Writes .env for docker compose: .env.example with fresh secrets. It keeps every value that is set already, so run it
# again after an upgrade. With two names, it also sets up the profile `edge`, for one server on the internet, and prints
# the values that it replaces:
# sh deploy/make-env.sh topup.example.com console.example.com
set -eu
cd "$(dirname "$0")/.."
umask 077

random_hex() { od -An -v -tx1 -N"$1" /dev/urandom | tr -d ' \n'; }
random_base64() { head -c "$1" /dev/urandom | base64 | tr -d '\n'; }

# value NAME: prints the variable's value, empty without one.
value() { sed -n "s/^$1=//p" .env | tail -n 1; }

# put NAME VALUE: sets the variable, and prints the value that it had.
put() {
  before=$(value "$1")
  [ "$before" = "$2" ] && return 0
  if grep -q "^$1=" .env; then
    awk -v name="$1" -v value="$2" 'index($0, name "=") == 1 { $0 = name "=" value } { print }' .env >.env.new
    mv .env.new .env
  else
    echo "$1=$2" >>.env
  fi
  echo "$1 is set in .env${before:+. It was $before before}"
}

# fill NAME VALUE: sets the variable unless it has a value.
fill() { [ -n "$(value "$1")" ] || put "$1" "$2"; }

# edge API_NAME CONSOLE_NAME: what follows from the two names.
edge() {
  put EDGE_API_NAME "$1"
  put EDGE_CONSOLE_NAME "$2"
  profiles=$(value COMPOSE_PROFILES)
  case ,$profiles, in
    *,edge,*) ;;
    *) put COMPOSE_PROFILES "${profiles:+$profiles,}edge" ;;
  esac
  # Docker opens published ports past a firewall such as ufw. So only Caddy is published, and nginx is on loopback.
  port=$(value PORT | sed 's/.*://')
  put PORT "127.0.0.1:${port:-3000}"
  # Caddy’s address is one of Docker’s private networks. It passes on one address, the caller’s.
  private_networks=10.0.0.0/8,172.16.0.0/12,192.168.0.0/16
  fill TRUSTED_PROXIES "$private_networks"
  proxies=$(value TRUSTED_PROXIES)
  [ "$proxies" = "$private_networks" ] ||
    echo "TRUSTED_PROXIES stays $proxies. Unless it covers Caddy, all requests seem to come from Caddy: add $private_networks."
  put CONSOLE_URL "https://$2"
  put CONSOLE_TRUSTED_PROXIES 1
  put SUPPLIER_CALLBACK_BASE_URL "https://$1"
}

case $# in
  0 | 2) ;;
  *)
    echo 'say nothing, or the two names of the profile edge: sh deploy/make-env.sh topup.example.com console.example.com' >&2
    exit 1
    ;;
esac
owner=
if [ ! -e .env ]; then
  # Docker compose names a volume after the folder. Fresh secrets would open neither this database nor what is sealed in it.
  project=${COMPOSE_PROJECT_NAME:-$(basename "$PWD" | tr '[:upper:]' '[:lower:]' | tr -cd 'a-z0-9_-' | sed 's/^[_-]*//')}
  if command -v docker >/dev/null; then
    volumes=$(docker volume ls -q) || {
      echo 'There is no .env, and Docker does not say whether there is a database: run this command with sudo.' >&2
      echo 'To write fresh secrets all the same, run cp .env.example .env before it.' >&2
      exit 1
    }
    if echo "$volumes" | grep -qxF "${project}_postgres-data"; then
      echo "There is no .env, but the volume ${project}_postgres-data has a database: put back your copy of .env." >&2
      echo 'To write fresh secrets all the same, run cp .env.example .env before this command.' >&2
      exit 1
    fi
  fi
  cp .env.example .env
  # Who runs this with sudo also reads .env without it, and runs this again after an upgrade.
  [ "$(id -u)" -ne 0 ] || owner=${SUDO_UID:-}
fi
chmod 600 .env
fill SECRETS_KEY "$(random_base64 32)"
fill POSTGRES_PASSWORD "$(random_hex 24)"
fill REDIS_PASSWORD "$(random_hex 24)"
fill MANAGEMENT_PASSWORD "$(random_hex 12)"
fill SIMULATOR_TOKEN "$(random_hex 24)"
fill GRAFANA_PASSWORD "$(random_hex 12)"
[ $# -eq 0 ] || edge "$1" "$2"
[ -z "$owner" ] || chown "$owner" .env
echo 'Keep a copy of .env in a safe place: without SECRETS_KEY the secrets of webhooks, suppliers and channels are lost.'
