import {isLeaf, parentOf} from '../../machines/policies/plan/plan-graph.ts';
import {notNow} from '../keymap.ts';
import * as browsing from '../model/browse.ts';
import {
  type Command,
  type CommandContext,
  inTree,
  looking,
  planPanes,
  planRefusal,
  type Refusal,
} from './command.ts';
import {searchedText, typeSearch} from './find.ts';

const section = 'Move in the plan';

const nothingToFind: Refusal = (facts, state) =>
  planRefusal(facts, state) ?? (facts.plan?.items.size === 0 ? 'the plan is empty' : null);

/** Navigation in the task tree. */
export const browseCommands: readonly Command[] = [
  {
    id: 'pane.switch',
    keys: ['tab'],
    label: 'pane',
    help: 'other pane',
    hint: 'first',
    at: planPanes,
    section: 'Look at a task',
    run: ({browse}) => browse(browsing.switchPane),
  },
  {
    id: 'panel.focus',
    keys: ['tab', 'shift+tab', 'enter', 'escape', 'ctrl+c'],
    label: 'back',
    hint: 'first',
    at: ['aside'],
    run: focusPanel,
  },
  {id: 'tree.up', keys: ['up', 'k'], label: 'up', at: inTree, section, run: (context) => move(context, -1)},
  {
    id: 'tree.down',
    keys: ['down', 'j'],
    label: 'down',
    at: inTree,
    section,
    run: (context) => move(context, 1),
  },
  {
    id: 'tree.pageUp',
    keys: ['ctrl+u'],
    label: 'half a page up',
    at: inTree,
    section,
    run: (context) => move(context, -halfPage(context)),
  },
  {
    id: 'tree.pageDown',
    keys: ['ctrl+d'],
    label: 'half a page down',
    at: inTree,
    section,
    run: (context) => move(context, halfPage(context)),
  },
  {
    id: 'tree.first',
    keys: ['home', 'g'],
    label: 'first',
    at: inTree,
    section,
    run: (context) => move(context, Number.NEGATIVE_INFINITY),
  },
  {
    id: 'tree.last',
    keys: ['end', 'G'],
    label: 'last',
    at: inTree,
    section,
    run: (context) => move(context, Number.POSITIVE_INFINITY),
  },
  {
    id: 'tree.fold',
    keys: ['left', 'h'],
    label: 'fold, or to the parent',
    at: inTree,
    section,
    run: (context) => {
      const {task, plan} = context.core.facts();
      if (!task || !plan) return;
      const isOpen = !isLeaf(task) && !context.core.get().browse.folded.has(task.id);
      const parent = parentOf(plan, task);
      if (isOpen) toggle(context, true);
      else if (parent) {
        context.jobs.follow(false);
        context.browse((now) => browsing.select(now, parent.id));
      }
    },
  },
  {
    id: 'tree.unfold',
    keys: ['right', 'l'],
    label: 'unfold',
    at: inTree,
    section,
    run: (context) => toggle(context, false),
  },
  {
    id: 'tree.toggle',
    keys: ['space'],
    label: 'fold or unfold',
    at: inTree,
    section,
    run: (context) => toggle(context),
  },
  {
    id: 'pane.detail',
    keys: ['enter'],
    label: 'look at it',
    at: ['tree'],
    section,
    run: ({browse}) => browse((now) => ({...now, pane: 'detail'})),
  },
  {
    id: 'tree.foldAll',
    keys: ['F'],
    label: 'fold or unfold all',
    at: inTree,
    section,
    run: ({core, jobs, browse}) => {
      const {plan} = core.facts();
      jobs.follow(false);
      const parents = plan ? [...plan.items.values()].filter((task) => !isLeaf(task)).map(({id}) => id) : [];
      browse((now) => browsing.foldAll(now, parents));
    },
  },
  {
    id: 'tree.next',
    keys: ['n'],
    label: 'next that needs you',
    at: inTree,
    section,
    refusal: ({summary}) => ((summary?.stopped.length ?? 0) > 0 ? null : 'nothing needs you'),
    run: nextForPerson,
  },
  {
    id: 'tree.clear',
    keys: ['escape'],
    label: 'clear',
    help: 'clear search and filter',
    hint: 'first',
    at: ['tree'],
    section,
    refusal: (_, {browse}) => (browse.filter !== 'all' || browse.query !== '' ? null : notNow),
    run: ({browse}) => browse((now) => ({...now, filter: 'all', query: ''})),
  },
  {
    id: 'tree.search',
    keys: ['/'],
    label: 'search',
    hint: 'first',
    at: looking,
    section,
    refusal: nothingToFind,
    run: ({core, jobs}) => {
      jobs.follow(false);
      core.send({type: 'search.begin'});
    },
  },
  {
    id: 'search.keep',
    keys: ['enter'],
    label: 'keep',
    hint: 'first',
    at: ['search'],
    run: ({core}) => core.send({type: 'search.end'}),
  },
  {
    id: 'search.clear',
    keys: ['escape', 'ctrl+c'],
    label: 'clear',
    hint: 'first',
    at: ['search'],
    run: (context) => {
      typeSearch(context, '');
      context.core.send({type: 'search.end'});
    },
  },
  {
    id: 'search.erase',
    keys: ['backspace'],
    label: 'delete',
    at: ['search'],
    run: (context) => typeSearch(context, [...searchedText(context)].slice(0, -1).join('')),
  },
  {
    id: 'tree.filter',
    keys: ['f'],
    label: 'filter',
    hint: 'more',
    at: looking,
    section,
    refusal: nothingToFind,
    run: ({jobs, browse}) => {
      jobs.follow(false);
      browse(browsing.nextFilter);
    },
  },
];

/** Back to the question and the task it is about. */
function focusPanel({core, browse}: CommandContext): void {
  const {panel} = core.facts();
  const {plan, entries} = core.facts();
  if (panel && plan)
    browse((now) => ({...browsing.reveal(now, plan, entries, panel.taskId), pane: 'detail'}));
}

/** After a manual move the selection no longer follows the job. */
export function move({core, jobs, browse}: CommandContext, by: number): void {
  jobs.follow(false);
  browse((now) => browsing.moveSelection(now, core.facts().entries, by));
}

const halfPage = ({core}: CommandContext): number =>
  Math.ceil(Math.max(1, core.facts().layout.paneRows - 1) / 2);

function toggle({core, jobs, browse}: CommandContext, isFolded?: boolean): void {
  const {task} = core.facts();
  // Folding the tree by hand stops the selection from following the job.
  jobs.follow(false);
  if (task && !isLeaf(task)) browse((now) => browsing.toggleFold(now, task.id, isFolded));
}

function nextForPerson({core, jobs, browse}: CommandContext): void {
  const {summary, plan, entries} = core.facts();
  const {selectedId} = core.get().browse;
  const waiting = summary?.stopped ?? [];
  const at = waiting.indexOf(selectedId ?? '');
  const id = waiting[(at + 1) % Math.max(1, waiting.length)];
  if (id === undefined || !plan) return;
  jobs.follow(false);
  browse((now) => browsing.reveal(now, plan, entries, id));
}
