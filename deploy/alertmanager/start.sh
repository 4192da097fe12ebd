#!/bin/sh
# Starts Alertmanager with the alertmanager.yml of this folder if there is one. Otherwise it writes a configuration for the channels
# that .env names: Telegram, LINE, e-mail. It holds tokens, and is in memory only.
set -eu
umask 077

folder=/etc/topup
config=/tmp/alertmanager.yml
channels=''

# Without a value, docker compose gives a blank.
is_set() { [ -n "${1# }" ]; }

# Whether a channel is set, and another setting that it needs. Without the second, Alertmanager would not start.
is_complete() {
  is_set "$1" || return 1
  is_set "$3" && return 0
  echo "$2 is missing: no alerts go there" >&2
  return 1
}

is_number() {
  case $1 in
    '' | *[!0-9]*) return 1 ;;
  esac
}

# Whether a mail server has a name and a port. Of an IPv6 address without brackets, the last part would count as the port.
is_server() {
  is_number "${1##*:}" || return 1
  case ${1%:*} in
    "$1" | '') return 1 ;;
    \[*\]) ;;
    *:*) return 1 ;;
  esac
}

# Ends the start, because Alertmanager would refuse the value, and so send no alerts to any channel.
refuse() {
  echo "$1 is $2: write $3 into .env" >&2
  exit 1
}

# A string of YAML.
quoted() { printf "'%s'" "$(printf %s "${1# }" | sed "s/'/''/g")"; }

# Critical alerts go out at once. Warnings wait for the day: these are the hours from 08:00 to 22:00 in Bangkok, in UTC.
routes() {
  cat <<ROUTES
templates: ['$folder/*.tmpl']
time_intervals:
  - name: day
    time_intervals:
      - times: [{ start_time: '01:00', end_time: '15:00' }]
route:
  receiver: people
  group_by: [alertname]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
    - receiver: people
      matchers: ['severity="warning"']
      active_time_intervals: [day]
      repeat_interval: 24h
receivers:
  - name: people
ROUTES
}

telegram() {
  chat=${ALERT_TELEGRAM_CHAT# }
  is_number "${chat#-}" || refuse ALERT_TELEGRAM_CHAT "$chat" 'the number of the chat, such as -100123456,'
  channels="$channels Telegram"
  cat <<RECEIVER
    telegram_configs:
      - bot_token: $(quoted "$ALERT_TELEGRAM_TOKEN")
        chat_id: $chat
        parse_mode: ''
        message: '{{ template "topup.text" . }}'
RECEIVER
}

# LINE takes JSON with a text of 5,000 characters. The payload is one template, because Alertmanager reads a string that looks like
# YAML, such as one with a colon, as an object.
line() {
  channels="$channels LINE"
  cat <<RECEIVER
    webhook_configs:
      - url: https://api.line.me/v2/bot/message/push
        http_config: { authorization: { credentials: $(quoted "$ALERT_LINE_TOKEN") } }
        payload: >-
          {{ \$text := "" }}
          {{ range .Alerts }}
          {{ \$text = printf "%s%s %s: %s\n%s\n" \$text (toUpper .Status) .Labels.severity .Annotations.summary .Annotations.runbook_url }}
          {{ end }}
          {{ toJson (dict "to" "$ALERT_LINE_TO" "messages" (list (dict "type" "text" "text" (printf "%.4900s" \$text)))) }}
RECEIVER
}

email() {
  server=${ALERT_SMTP_SERVER# }
  is_server "$server" || refuse ALERT_SMTP_SERVER "$server" 'its name and port, such as smtp.example.com:587,'
  channels="$channels e-mail"
  cat <<RECEIVER
    email_configs:
      - to: $(quoted "$ALERT_EMAIL_TO")
        from: $(quoted "$ALERT_EMAIL_FROM")
        smarthost: $(quoted "$server")
        auth_username: $(quoted "$ALERT_SMTP_USER")
        auth_password: $(quoted "$ALERT_SMTP_PASSWORD")
        send_resolved: true
RECEIVER
}

if [ -s "$folder/alertmanager.yml" ]; then
  if [ ! -r "$folder/alertmanager.yml" ]; then
    echo "alertmanager.yml can't be read by the user $(id -u): make that user its owner, with chown $(id -u)" >&2
    exit 1
  fi
  config=$folder/alertmanager.yml
else
  {
    routes
    if is_complete "$ALERT_TELEGRAM_TOKEN" ALERT_TELEGRAM_CHAT "$ALERT_TELEGRAM_CHAT"; then telegram; fi
    if is_complete "$ALERT_LINE_TOKEN" ALERT_LINE_TO "$ALERT_LINE_TO"; then line; fi
    if is_complete "$ALERT_EMAIL_TO" ALERT_EMAIL_FROM "$ALERT_EMAIL_FROM" &&
      is_complete "$ALERT_EMAIL_TO" ALERT_SMTP_SERVER "$ALERT_SMTP_SERVER"; then email; fi
  } >"$config"
  echo "alerts go to:${channels:- nobody, because .env has no ALERT_TELEGRAM_TOKEN, ALERT_LINE_TOKEN or ALERT_EMAIL_TO}"
fi
exec alertmanager --config.file="$config" --storage.path=/alertmanager --cluster.listen-address=
