# The agent of the soak: speaks the dialect of the demo agent, and meets the trouble that its prompt names, once.
# What it remembers is in $SOAK_STATE, what it does in $SOAK_WORK.
if [ "$1" = --resume ]; then
  session=$2
  read -r task trouble <"$SOAK_STATE/$session"
  cat >/dev/null
else
  session=$(cat /proc/sys/kernel/random/uuid)
  set -- $(sed -n 's/^soak: //p' | head -n 1)
  task=$1 trouble=$2
  echo "$task $trouble" >"$SOAK_STATE/$session"
fi
printf '{"demo":"session","id":"%s"}\n' "$session"
end() { printf '{"demo":"result",%s}\n' "$1"; exit "$2"; }
soon() { date -u -d '+1 second' +%Y-%m-%dT%H:%M:%SZ; }

if [ "$trouble" != none ] && mkdir "$SOAK_STATE/$task.met" 2>/dev/null; then
  case $trouble in
    fail) end '"ok":false,"text":"as it should"' 1 ;;
    die) exit 7 ;;
    limit) end "\"ok\":false,\"text\":\"limit\",\"kind\":\"rate_limit\",\"reset_at\":\"$(soon)\"" 1 ;;
    outage) end "\"ok\":false,\"text\":\"down\",\"kind\":\"outage\",\"reset_at\":\"$(soon)\"" 1 ;;
    junk) printf '\000\033[2J{"demo":"mess\n{"demo":\n'; head -c 200000 /dev/zero | tr '\0' x; echo ;;
    child) setsid sleep 600 >/dev/null 2>&1 & ;;
    stubborn) trap '' INT TERM; sleep 0.3 ;;
    ask)
      question='```json\n{\"blackbird\":{\"questions\":[{\"id\":\"it\",\"prompt\":\"Which?\"}]}}\n```'
      printf '{"demo":"message","text":"%s"}\n' "$question"
      end "\"ok\":true,\"text\":\"$question\"" 0 ;;
  esac
fi
# Once for each session, however often it is resumed. The work itself tells: a mark of its own could be set by an
# agent that is interrupted before it works.
grep -qxF "$session" "$SOAK_WORK/$task" 2>/dev/null || echo "$session" >>"$SOAK_WORK/$task"
printf '{"demo":"message","text":"Done."}\n'
end '"ok":true,"text":"Done."' 0
