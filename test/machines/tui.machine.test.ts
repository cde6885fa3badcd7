import {describe, expect, test} from 'vitest';
import {createActor, SimulatedClock} from 'xstate';
import {type ScreenName, type TuiCommand, tuiMachine} from '../../src/machines/tui.machine.ts';
import type {Dialog} from '../../src/machines/tui-dialogs.ts';
import {createTuiFlow} from '../../src/machines/tui-flow.ts';
import type {PauseReason} from '../../src/services/contracts/run.ts';
import {unreachedTransitions} from '../helpers/model.ts';

const screenNames: readonly ScreenName[] = ['home', 'plan', 'settings', 'sessions', 'help'];
const restart: Dialog = {type: 'restart', taskId: 'a'};

function open(...commands: readonly TuiCommand[]) {
  const pauses: PauseReason[] = [];
  const turns: string[] = [];
  const flow = createTuiFlow({
    pause: (reason) => pauses.push(reason),
    beginJob: () => turns.push('begin'),
    dropJob: () => turns.push('drop'),
  });
  for (const command of commands) flow.send(command);
  const job = () => (flow.snapshot().value as {job: string}).job;
  return {
    ...flow,
    pauses,
    turns,
    job,
    screen: () => screenNames.find((name) => flow.snapshot().hasTag(name)),
    dialog: () => flow.snapshot().context.dialog,
  };
}

const began: TuiCommand = {type: 'job.began'};
const stopAsked: TuiCommand = {type: 'job.stopAsked'};
const interrupt: TuiCommand = {type: 'tui.interrupt'};
const stopped = (isPaused: boolean): TuiCommand => ({type: 'job.stopped', isPaused});

test('every transition can be taken', () => {
  const payloads = [
    {type: 'dialog.open', dialog: restart},
    {type: 'job.stopped', isPaused: true},
    {type: 'job.stopped', isPaused: false},
    {type: 'tui.leave', reason: 'terminated'},
  ];
  // One, and more than one: the exact number makes no difference.
  const key = ({context}: {context: {unsettled: number}}) => Math.min(context.unsettled, 2);
  expect(unreachedTransitions(tuiMachine, {payloads, key})).toEqual([]);
});

describe('a job started while a decision or answer is being written', () => {
  const words: TuiCommand = {type: 'words.began'};
  const settled: TuiCommand = {type: 'words.settled'};

  test('waits for all of it, and starts then', () => {
    const {send, job, turns, snapshot} = open(words, words, began);
    expect([job(), snapshot().hasTag('behindWords')]).toEqual(['behindWords', true]);
    send(settled);
    expect([job(), turns]).toEqual(['behindWords', []]);
    send(settled);
    expect([job(), turns]).toEqual(['working', ['begin']]);
  });

  test('is dropped by Ctrl+C: nothing starts, and nothing runs to be paused', () => {
    const {send, job, turns, pauses} = open(words, began, interrupt, stopped(true), settled);
    expect([job(), turns, pauses]).toEqual(['paused', ['drop'], []]);
    send(began);
    expect(job()).toBe('working');
  });

  test('does not wait once it is written', () => {
    const {job, turns} = open(words, settled, began);
    expect([job(), turns]).toEqual(['working', []]);
  });
});

describe('Ctrl+C', () => {
  test('at rest asks for a second one: it may have been meant for a task that has just ended', () => {
    const {send, job, pauses} = open(began, stopped(false), interrupt);
    expect(job()).toBe('confirming');
    send(interrupt);
    expect({job: job(), pauses}).toEqual({job: 'gone', pauses: []});
  });

  test.each([
    {after: 2999, job: 'confirming'},
    {after: 3000, job: 'resting'},
  ])('is forgotten after three seconds: $after ms', ({after, job}) => {
    const clock = new SimulatedClock();
    const actor = createActor(tuiMachine, {clock}).start();
    actor.send(interrupt);
    clock.increment(after);
    expect(actor.getSnapshot().value).toMatchObject({job});
  });

  test('before a job started applies to the job afterwards', () => {
    const {send, job, pauses} = open(interrupt, began);
    expect(job()).toBe('working');
    send(interrupt);
    expect({job: job(), pauses}).toEqual({job: 'pausing', pauses: ['user_interrupt']});
  });

  test('while a task runs pauses it and stays; again forces; after the pause it only quits', () => {
    const {send, job, snapshot, pauses} = open(began, interrupt);
    expect({job: job(), pauses: [...pauses]}).toEqual({job: 'pausing', pauses: ['user_interrupt']});
    send(interrupt);
    expect({job: job(), pauses: [...pauses]}).toEqual({
      job: 'pausing',
      pauses: ['user_interrupt', 'user_interrupt'],
    });
    send(stopped(true));
    expect({job: job(), hasBanner: snapshot().hasTag('banner')}).toEqual({job: 'paused', hasBanner: true});
    send(interrupt);
    expect({job: job(), pauses: pauses.length}).toEqual({job: 'gone', pauses: 2});
  });

  test('that came too late for a pause shows no banner', () => {
    const {job, snapshot} = open(began, interrupt, stopped(false));
    expect({job: job(), hasBanner: snapshot().hasTag('banner')}).toEqual({job: 'resting', hasBanner: false});
  });

  test.each([
    {what: 'before any job only decisions open', commands: [], asksAll: false, isQuiet: false},
    {what: 'after a job everything does', commands: [began, stopped(false)], asksAll: true, isQuiet: false},
    {
      what: 'after a pause nothing',
      commands: [began, interrupt, stopped(true)],
      asksAll: false,
      isQuiet: true,
    },
    {
      what: 'nor where it came too late',
      commands: [began, interrupt, stopped(false)],
      asksAll: false,
      isQuiet: true,
    },
    {
      what: 'nor where another terminal paused',
      commands: [began, stopped(true)],
      asksAll: false,
      isQuiet: true,
    },
    {
      what: 'nor after a stop that a person asked for',
      commands: [began, stopAsked, stopped(false)],
      asksAll: false,
      isQuiet: true,
    },
    {
      what: 'until a job has ended again',
      commands: [began, interrupt, stopped(true), began, stopped(false)],
      asksAll: true,
      isQuiet: false,
    },
  ])('what opens by itself: $what', ({commands, asksAll, isQuiet}) => {
    const {snapshot} = open(...commands);
    expect({asksAll: snapshot().hasTag('asksAll'), isQuiet: snapshot().hasTag('quiet')}).toEqual({
      asksAll,
      isQuiet,
    });
  });

  test('closes a dialog first, and quits only when pressed again', () => {
    const {send, dialog, job} = open({type: 'dialog.open', dialog: restart}, interrupt);
    expect({dialog: dialog(), job: job()}).toEqual({dialog: null, job: 'resting'});
    send(interrupt);
    expect(job()).toBe('confirming');
    send({type: 'dialog.open', dialog: restart});
    send(interrupt);
    expect({dialog: dialog(), job: job()}).toEqual({dialog: null, job: 'confirming'});
    send(interrupt);
    expect(job()).toBe('gone');
  });

  test('pauses what runs even when a dialog is open, which stays', () => {
    const {dialog, job, pauses} = open(began, {type: 'dialog.open', dialog: restart}, interrupt);
    expect({dialog: dialog(), job: job(), pauses}).toEqual({
      dialog: restart,
      job: 'pausing',
      pauses: ['user_interrupt'],
    });
  });
});

describe('leaving', () => {
  test('waits until the running task is paused', () => {
    const {send, job, snapshot, pauses} = open(began, {type: 'tui.leave', reason: 'terminated'});
    expect({job: job(), isBusy: snapshot().hasTag('busy'), pauses: [...pauses]}).toEqual({
      job: 'leaving',
      isBusy: true,
      pauses: ['terminated'],
    });
    send(interrupt);
    expect(pauses).toEqual(['terminated', 'user_interrupt']);
    send(stopped(true));
    expect(job()).toBe('gone');
  });

  test('during a pause does not ask for another one', () => {
    const {job, pauses} = open(began, interrupt, {type: 'tui.leave', reason: 'terminated'});
    expect({job: job(), pauses}).toEqual({job: 'leaving', pauses: ['user_interrupt']});
  });
});

describe('screens', () => {
  test.each(['home', 'plan', 'settings', 'sessions'] as const)('help goes back to %s', (screen) => {
    const {send, screen: shown} = open({type: `screen.${screen}`}, {type: 'help.show'});
    expect(shown()).toBe('help');
    send({type: 'help.leave'});
    expect(shown()).toBe(screen);
  });

  test('only the plan can be searched', () => {
    expect(open({type: 'search.begin'}).snapshot().hasTag('searching')).toBe(false);
    const {send, snapshot} = open({type: 'screen.plan'}, {type: 'search.begin'});
    expect(snapshot().hasTag('searching')).toBe(true);
    send({type: 'search.end'});
    expect(snapshot().hasTag('searching')).toBe(false);
  });

  test('a dialog can lead to another, and closing forgets it', () => {
    const message: Dialog = {type: 'message', title: 'no', lines: []};
    const {send, dialog} = open(
      {type: 'dialog.open', dialog: restart},
      {type: 'dialog.open', dialog: message},
    );
    expect(dialog()).toEqual(message);
    send({type: 'dialog.close'});
    expect(dialog()).toBe(null);
  });
});
