import {type Chart, type ChartState, pathIn, statesOf, triggerLabel} from './chart.ts';

/** For terminals: the tree of states with invocations, actions and transitions. Plain ASCII. */
export function asciiChart(chart: Chart): string {
  const lines: string[] = [chart.id];
  const walk = (state: ChartState, indent: string) => {
    const bar = state.states.length > 0 ? '|' : ' ';
    for (const fact of factsOf(chart, state)) lines.push(`${indent}${bar}    ${fact}`);
    state.states.forEach((child, index) => {
      const isLast = index === state.states.length - 1;
      const mark = child.id === state.initial ? '->' : '--';
      const notes = [
        ...(child.type === 'final' ? ['(final)'] : child.type === 'parallel' ? ['(parallel)'] : []),
        ...child.tags.map((tag) => `#${tag}`),
      ];
      lines.push([`${indent}+${mark} ${child.key}`, ...notes].join('  '));
      const inner = `${indent}${isLast ? ' ' : '|'}  `;
      if (child.description !== '') {
        lines.push(`${inner}${child.states.length > 0 ? '|' : ' '}    "${child.description}"`);
      }
      walk(child, inner);
    });
  };
  walk(chart.root, '');
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** For documents: a Mermaid state diagram, without actions and internal transitions. */
export function mermaidChart(chart: Chart): string {
  const lines: string[] = ['stateDiagram-v2'];
  const idOf = (id: string) => pathIn(chart, id).replaceAll('.', '_');
  const walk = (state: ChartState, indent: string) => {
    if (state.initial !== null) lines.push(`${indent}[*] --> ${idOf(state.initial)}`);
    state.states.forEach((child, index) => {
      if (index > 0 && state.type === 'parallel') lines.push(`${indent}--`);
      if (child.states.length > 0) {
        lines.push(`${indent}state "${child.key}" as ${idOf(child.id)} {`);
        walk(child, `${indent}  `);
        lines.push(`${indent}}`);
      } else if (idOf(child.id) !== child.key)
        lines.push(`${indent}state "${child.key}" as ${idOf(child.id)}`);
      // Mermaid draws the state outside unless it is named here.
      else if (state !== chart.root) lines.push(`${indent}${child.key}`);
      if (child.type === 'final') lines.push(`${indent}${idOf(child.id)} --> [*]`);
    });
  };
  // Mermaid draws parallel regions only inside a state.
  if (chart.root.type === 'parallel') {
    lines.push(`  state "${chart.id}" as ${chart.id} {`);
    walk(chart.root, '    ');
    lines.push('  }');
  } else walk(chart.root, '  ');
  const labels = new Map<string, Set<string>>();
  for (const {source, targets, trigger, guard} of chart.transitions) {
    const label = [triggerLabel(trigger), ...(guard === null ? [] : [`[${guard}]`])].join(' ');
    for (const target of targets) {
      // Mermaid cannot draw a line from a state to its own child, and the machine itself is not a state.
      const isInwards = target.startsWith(`${source}.`);
      const edge = isInwards ? `note right of ${idOf(target)}` : `${idOf(source)} --> ${idOf(target)}`;
      const where = source === chart.id ? 'from every state' : `from everywhere in ${pathIn(chart, source)}`;
      const text = isInwards ? `${where} ${label}` : label;
      labels.set(edge, (labels.get(edge) ?? new Set()).add(text));
    }
  }
  for (const [edge, texts] of labels) lines.push(`  ${edge} : ${[...texts].join('<br/>')}`);
  return lines.join('\n');
}

function factsOf(chart: Chart, state: ChartState): string[] {
  const own = chart.transitions.filter(({source}) => source === state.id);
  return [
    ...state.invokes.map(({id, src}) => `invoke ${id === src ? src : `${src} as ${id}`}`),
    ...(state.entry.length > 0 ? [`entry / ${state.entry.join(', ')}`] : []),
    ...(state.exit.length > 0 ? [`exit / ${state.exit.join(', ')}`] : []),
    ...own.map((transition) => {
      const {trigger, guard, actions, targets} = transition;
      return [
        triggerLabel(trigger),
        ...(guard === null ? [] : [`[${guard}]`]),
        ...(targets.length === 0 ? [] : [`-> ${targets.map((id) => pathIn(chart, id)).join(', ')}`]),
        ...(actions.length === 0 ? [] : [`/ ${actions.join(', ')}`]),
      ].join(' ');
    }),
  ];
}

/** For documents: every state with its meaning. */
export function stateRows(chart: Chart): ReadonlyArray<readonly [state: string, meaning: string]> {
  return statesWithPaths(chart.root).map(([path, {description}]) => [path, description]);
}

/** By position in the chart: a custom id does not show it. */
function statesWithPaths(state: ChartState, prefix = ''): Array<readonly [string, ChartState]> {
  return state.states.flatMap((child) => {
    const path = `${prefix}${child.key}`;
    return [[path, child] as const, ...statesWithPaths(child, `${path}.`)];
  });
}

/** How large it is. */
export function chartSize(chart: Chart): {states: number; transitions: number} {
  return {states: statesOf(chart.root).length - 1, transitions: chart.transitions.length};
}
