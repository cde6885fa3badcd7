import {describe, expect, test} from 'vitest';
import {machines} from '../../src/machines/machines.ts';
import {chartOf} from '../../src/machines/policies/inspect/chart.ts';
import {asciiChart, mermaidChart} from '../../src/machines/policies/inspect/chart-text.ts';
import {cliProject, lines} from '../helpers/run-cli.ts';

const charts = machines.map(({about, machine}) => ({about, ...chartOf(machine)}));

describe('machines', () => {
  test('lists them, on a terminal with what they own', async () => {
    const {code, out, err} = await cliProject().run(['machines'], {terminal: true});
    expect({code, err}).toEqual({code: 0, err: ''});
    const [header, ...rows] = out.trimEnd().split('\n');
    expect(header).toMatch(/^MACHINE +STATES +TRANSITIONS +OWNS$/);
    expect(rows.map((row) => row.split(' ')[0])).toEqual(machines.map(({name}) => name));
  });

  test.each(machines)('draws $name', async ({name, machine}) => {
    const {run, json} = cliProject();
    const chart = chartOf(machine);
    const ascii = {code: 0, out: lines(asciiChart(chart)), err: ''};
    expect(await run(['machines', name])).toEqual(ascii);
    expect(await run(['machines', name, '--format', 'ascii'])).toEqual(ascii);
    expect(await run(['machines', name, '--format', 'mermaid'])).toEqual({
      code: 0,
      out: lines(mermaidChart(chart)),
      err: '',
    });
    const data = charts.find(({id}) => id === name);
    expect(await json(['machines', name])).toEqual(data);
    expect(JSON.parse((await run(['machines', name, '--format', 'json'])).out)).toEqual(data);
  });

  test('draws all of them at once', async () => {
    const {run, json} = cliProject();
    expect((await run(['machines', '--format', 'mermaid'])).out.match(/^stateDiagram-v2$/gm)).toHaveLength(
      machines.length,
    );
    expect(await json(['machines'])).toEqual({machines: charts});
  });

  test('lists the machines when the name is unknown', async () => {
    const {code, error} = await cliProject().error(['machines', 'nothing']);
    expect(code).toBe(2);
    expect(error).toMatchObject({code: 'E_USAGE', message: 'no machine is called "nothing"'});
    expect(JSON.stringify(error)).toContain(machines.map(({name}) => name).join(', '));
  });

  test('refuses another format', async () => {
    const {code, error} = await cliProject().error(['machines', '--format', 'png']);
    expect({code, error}).toMatchObject({code: 2, error: {code: 'E_USAGE'}});
  });
});
