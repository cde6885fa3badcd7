import type {TuiState} from '../model/facts.ts';
import {selectedSession, shownSessions} from '../model/list-rows.ts';
import type {SessionRow} from '../ports.ts';
import type {Command, CommandContext, Refusal} from './command.ts';

const selected = ({list}: Pick<TuiState, 'list'>) => selectedSession(list);
const noSession = 'there is no session';
const nameOf = ({name, id}: SessionRow) => name || id;

const anySession: Refusal = (_, state) => (selected(state) ? null : noSession);
const runningSession: Refusal = (_, state) => {
  const session = selected(state);
  if (!session) return noSession;
  return session.isRunning ? null : `${nameOf(session)} is not running; u starts it`;
};

const withSession =
  (act: (context: CommandContext, session: SessionRow) => void): Command['run'] =>
  (context) => {
    const session = selected(context.core.get());
    if (session) act(context, session);
  };

/** The sessions, with the operations of `blackbird session`. */
export const sessionCommands: readonly Command[] = [
  {
    id: 'session.attach',
    keys: ['enter'],
    label: 'attach',
    hint: 'first',
    at: ['sessions'],
    refusal: runningSession,
    run: withSession(({core}, {id}) => core.patch({handover: {type: 'session', id}})),
  },
  {
    id: 'session.resume',
    keys: ['u'],
    label: 'start',
    hint: 'first',
    at: ['sessions'],
    refusal: (_, state) => {
      const session = selected(state);
      if (!session) return noSession;
      if (session.isRunning) return `${nameOf(session)} is already running; enter attaches`;
      return session.canResume ? null : `${nameOf(session)} is ${session.status}`;
    },
    run: withSession(({core}, {id}) => core.patch({handover: {type: 'session', id}})),
  },
  {
    id: 'session.new',
    keys: ['n'],
    label: 'new',
    hint: 'first',
    at: ['sessions'],
    run: ({open}) => open({type: 'sessionNew'}),
  },
  {
    id: 'session.stop',
    keys: ['x'],
    label: 'stop',
    hint: 'first',
    at: ['sessions'],
    refusal: runningSession,
    run: withSession((context, session) => {
      const {core, ports, fail} = context;
      ports.sessions.stop(session.id).then((isRunning) => {
        const text = isRunning ? `sent Ctrl+C to ${nameOf(session)}` : `no session for ${session.id}`;
        core.say({tone: isRunning ? 'good' : 'warning', text});
        loadSessions(context);
      }, fail);
    }),
  },
  {
    id: 'session.kill',
    keys: ['X'],
    label: 'kill',
    hint: 'first',
    at: ['sessions'],
    refusal: runningSession,
    run: withSession(({open}, {id}) => open({type: 'sessionKill', id})),
  },
  {
    id: 'session.clean',
    keys: ['D'],
    label: 'clean',
    hint: 'first',
    at: ['sessions'],
    refusal: anySession,
    run: withSession(({open}, {id}) => open({type: 'sessionClean', id, force: false})),
  },
  {
    id: 'session.refresh',
    keys: ['r'],
    label: 'refresh',
    hint: 'more',
    at: ['sessions'],
    run: loadSessions,
  },
];

export function loadSessions({core, ports, fail}: Pick<CommandContext, 'core' | 'ports' | 'fail'>): void {
  ports.sessions.list().then((sessions) => {
    const {list} = core.get();
    const {length} = shownSessions({...list, sessions}) ?? [];
    const index = Math.max(0, Math.min(list.index, length - 1));
    core.patch({list: {...list, sessions, index: core.facts().screen === 'sessions' ? index : list.index}});
  }, fail);
}
