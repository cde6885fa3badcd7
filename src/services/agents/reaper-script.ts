/** System call numbers by Node's name of the architecture. On others, agents run without a reaper. */
const systemCalls: Readonly<Record<string, SystemCalls>> = {
  x64: {prctl: 157, sigprocmask: 14, ppoll: 271, exitGroup: 231},
  arm64: {prctl: 167, sigprocmask: 135, ppoll: 73, exitGroup: 94},
};
type SystemCalls = Readonly<Record<'prctl' | 'sigprocmask' | 'ppoll' | 'exitGroup', number>>;

/**
 * Perl arguments for the parent of one agent, followed by the number of extra variables, the variables and
 * the agent's command. As a subreaper it becomes the parent of every orphan below it, so nothing the agent
 * starts can leave the tree: not with its own session, a cleared environment or a dead parent.
 *
 * fd 3 connects it to Blackbird. It reports `exited <wait status>` when the agent is gone, and finally `ended
 * <number killed>` or `left <pids>`. It ends everything when told to, or when the connection breaks: then
 * Blackbird is dead, and the agent first gets SIGINT and a second or two. It exits by itself after its last
 * child.
 */
export function reaperArgs(arch: string): readonly string[] | null {
  const calls = systemCalls[arch];
  // In parts, each compiled on demand: most agents leave nothing to be killed.
  return calls ? ['-e', startScript(calls), '--', watchScript(calls), killScript] : null;
}

const startScript = ({prctl}: SystemCalls) => `
my $isReaper = syscall(${prctl}, 36, 1, 0, 0, 0) == 0;
my ($watch, $kill) = splice @ARGV, 0, 2;
open(my $line, '+<&=', 3) or exit 125;
# Told to end, or without a Blackbird, before it began.
vec(my $told = '', 3, 1) = 1;
exit 125 if select($told, undef, undef, 0);
my $reaper = $$;
my $agent = fork;
exit 125 unless defined $agent;
if ($agent) { eval $watch; exit 1 }

# It never outlives its reaper.
syscall(${prctl}, 1, 9, 0, 0, 0);
exit 125 if getppid != $reaper;
close $line;
delete $ENV{LC_ALL};
for (splice @ARGV, 0, shift @ARGV) {
  my ($name, $value) = split /=/, $_, 2;
  $ENV{$name} = $value;
}
exec {$ARGV[0]} @ARGV;
print STDERR "cannot execute $ARGV[0]: $!\\n";
exit 126;`;

const watchScript = ({sigprocmask, ppoll, exitGroup}: SystemCalls) => `
# After the fork: what interrupts both before the agent began must end it.
$SIG{$_} = 'IGNORE' for qw(INT TERM HUP QUIT PIPE ALRM USR1 USR2 TSTP TTIN TTOU);
# Blocked but in ppoll, so that no child ends unnoticed between a look and the wait.
my ($childSignal, $noSignal) = (pack('Q', 1 << 16), pack('Q', 0));
$SIG{CHLD} = sub {};
syscall(${sigprocmask}, 0, $childSignal, 0, 8);
open STDIN, '<', '/dev/null';
open STDOUT, '>', '/dev/null';
open STDERR, '>', '/dev/null';
my ($state, $until, $hasLine, %killed) = ('watching', 0, 1);
my $finish = sub {
  syswrite $line, @_ ? "left @_\\n" : 'ended ' . keys(%killed) . "\\n" if $isReaper;
  # Perl tidies up for longer than all of this takes.
  syscall(${exitGroup}, 0);
};

for (;;) {
  my $pid;
  while (($pid = waitpid(-1, 1)) > 0) {
    next if $pid != $agent;
    syswrite $line, "exited $?\\n";
    $until = 0 if $state eq 'interrupting';
  }
  $finish->() if $pid < 0;
  ($state, $until) = ('killing', time + 6) if $state eq 'interrupting' && time >= $until;
  eval $kill if $state eq 'killing';

  my $poll = pack 'iss', $hasLine ? 3 : -1, 1, 0;
  my $timeout = $state eq 'watching' ? 0 : pack 'qq', 0, $state eq 'killing' ? 5_000_000 : 50_000_000;
  next if syscall(${ppoll}, $poll, 1, $timeout, $noSignal, 8) < 1;
  if (sysread $line, my $order, 64) {
    ($state, $until) = ('killing', time + 6);
  } else {
    $hasLine = 0;
    next if $state eq 'killing';
    kill $_, -$$ for 'INT', 'CONT';
    ($state, $until) = ('interrupting', time + 2);
  }
}`;

const killScript = `
my (%children, @below, @left);
opendir my $proc, '/proc';
for my $pid (grep {/^\\d+$/} readdir $proc) {
  open my $file, '<', "/proc/$pid/stat" or next;
  my ($state, $parent, $session, $start) = (split / /, (<$file> // '') =~ s/.*\\) //sr)[0, 1, 3, 19];
  push @{$children{$parent}}, {pid => $pid, state => $state, session => $session, start => $start} if $start;
}
my @parents = ($reaper);
while (defined(my $parent = shift @parents)) {
  my @found = @{$children{$parent} // []};
  push @below, @found;
  push @parents, map {$_->{pid}} @found;
}
for my $found (@below) {
  $found->{isRefused} = !kill('KILL', $found->{pid}) && $! == 1;
  next if $found->{state} eq 'Z';
  push @left, $found;
  $killed{"$found->{pid} $found->{start}"} = 1 unless $found->{isRefused};
}
if (@left && (time >= $until || !grep {!$_->{isRefused}} @left)) {
  # What made itself a daemon of another user was handed to the system.
  $finish->(map {$_->{pid}} grep {!$_->{isRefused} || $_->{session} == $reaper} @left);
}`;
