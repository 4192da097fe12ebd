#!/bin/sh
# Starts nginx with the settings that depend on where it runs: the DNS server of the container network (Docker's is 127.0.0.11,
# Podman's is the network's gateway), the proxies in front, and TLS when there is a certificate.
set -eu

generated=/tmp/topup
certificates=/etc/topup/certificates
mkdir -p "$generated"

# Only the first name server: nginx would query all of them in turn, and the others do not know the network.
resolver=$(awk '$1 == "nameserver" { print ($2 ~ /:/ ? "[" $2 "]" : $2); exit }' /etc/resolv.conf)
# Two seconds, so that nginx soon uses a new replica and forgets a stopped one.
echo "resolver ${resolver:-127.0.0.11} valid=2s ipv6=off;" >"$generated/resolver.conf"

: >"$generated/real-ip.conf"
for network in $(echo "${TRUSTED_PROXIES:-}" | tr ',' ' '); do
  case "$network" in
    *[!0-9]*) ;;
    *)
      echo "TRUSTED_PROXIES: nginx takes addresses and networks, and no number of proxies such as $network" >&2
      exit 1
      ;;
  esac
  echo "set_real_ip_from $network;" >>"$generated/real-ip.conf"
done

if [ -s "$certificates/fullchain.pem" ] && [ -s "$certificates/privkey.pem" ]; then
  cat >"$generated/listen.conf" <<TLS
listen 8080 ssl default_server;
ssl_certificate $certificates/fullchain.pem;
ssl_certificate_key $certificates/privkey.pem;
TLS
else
  for file in "$certificates/fullchain.pem" "$certificates/privkey.pem"; do
    # A link may lead to a folder that is not mounted. Without TLS, everyone on the way could read callers' keys.
    if [ -e "$file" ] || [ -L "$file" ]; then
      echo "certificates: fullchain.pem and privkey.pem must both be files with contents: links to other folders lead nowhere" >&2
      exit 1
    fi
  done
  echo 'listen 8080 default_server;' >"$generated/listen.conf"
fi

exec nginx -e /dev/stderr -c /etc/topup/nginx.conf -g 'daemon off;'
