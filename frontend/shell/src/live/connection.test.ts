import { beforeEach, describe, expect, it } from 'vitest';
import { LiveConnection, type LiveWorld, type ServerChanges } from './connection';

type Handlers = Parameters<LiveWorld['stream']>[1];

class FakeWorld implements LiveWorld {
  polls: string[] = [];
  streams: { since: string; on: Handlers; closed: boolean }[] = [];
  timers: { in: number; run: () => void; cancelled: boolean }[] = [];
  answer: () => Promise<ServerChanges> = () => Promise.reject(new Error('down'));

  poll = (since: string): Promise<ServerChanges> => {
    this.polls.push(since);
    return this.answer();
  };
  stream = (since: string, on: Handlers) => {
    const stream = { since, on, closed: false };
    this.streams.push(stream);
    return {
      close: () => {
        stream.closed = true;
      },
    };
  };
  after = (milliseconds: number, run: () => void) => {
    const timer = { in: milliseconds, run, cancelled: false };
    this.timers.push(timer);
    return () => {
      timer.cancelled = true;
    };
  };
  /** Runs the newest timer that still counts. */
  async fire(): Promise<number> {
    const timer = this.timers.filter((one) => !one.cancelled).at(-1);
    if (!timer) throw new Error('no timer');
    timer.cancelled = true;
    timer.run();
    await settle();
    return timer.in;
  }
}
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}
const at = (generation: number, boot = 'one'): ServerChanges => ({ generation, boot, runs: false, series: {} });

describe('live connection', () => {
  let world: FakeWorld;
  let seen: ServerChanges[];
  let live: LiveConnection;
  beforeEach(() => {
    world = new FakeWorld();
    seen = [];
    live = new LiveConnection(world, (changes) => seen.push(changes));
    live.startFrom(5, 'one');
  });

  it('catches up first, then listens from there', async () => {
    world.answer = async () => at(7);
    live.setVisible(true);
    await settle();
    expect(world.polls).toEqual(['one-5']);
    expect(seen.map((changes) => changes.generation)).toEqual([7]);
    expect(world.streams.map((stream) => stream.since)).toEqual(['one-7']);
    expect(live.state.value).toBe('connecting');
    world.streams[0]?.on.open();
    expect(live.state.value).toBe('live');
    world.streams[0]?.on.changes(at(8));
    world.streams[0]?.on.changes(at(8)); // once is enough
    expect(seen.map((changes) => changes.generation)).toEqual([7, 8]);
  });

  it.each(['annotations', 'saved', 'plugins'] as const)('tells of %s although no data changed', async (name) => {
    world.answer = async () => ({ ...at(7), [name]: 1 });
    live.setVisible(true);
    await settle();
    for (const other of [1, 2, 2]) world.streams[0]?.on.changes({ ...at(7), [name]: other });
    expect(seen.map((changes) => changes[name])).toEqual([1, 2]);
  });

  it('holds no stream while hidden, and asks for what it missed', async () => {
    world.answer = async () => at(5);
    live.setVisible(true);
    await settle();
    world.streams[0]?.on.open();
    live.setVisible(false);
    expect(world.streams[0]?.closed).toBe(true);
    world.streams[0]?.on.changes(at(6)); // a late event of a closed stream
    expect(seen).toEqual([]);
    world.answer = async () => at(9);
    live.setVisible(true);
    await settle();
    expect(world.polls).toEqual(['one-5', 'one-5']);
    expect(seen.map((changes) => changes.generation)).toEqual([9]);
  });

  it('drops an answer that arrives after the page was hidden', async () => {
    let deliver: (changes: ServerChanges) => void = () => undefined;
    world.answer = () => new Promise((resolve) => (deliver = resolve));
    live.setVisible(true);
    live.setVisible(false);
    deliver(at(6));
    await settle();
    expect(seen).toEqual([]);
    expect(world.streams).toEqual([]);
  });

  it('polls where streams are refused, and tries a stream again after a while', async () => {
    world.answer = async () => at(5);
    live.setVisible(true);
    await settle();
    world.streams[0]?.on.error();
    expect(live.state.value).toBe('polling');
    let polls = 0;
    while (world.streams.length === 1 && polls < 40) {
      expect(await world.fire()).toBe(2000);
      polls += 1;
    }
    expect(polls).toBe(15);
    expect(live.state.value).toBe('polling');
    world.streams[1]?.on.open();
    expect(live.state.value).toBe('live');
  });

  it('waits longer each time the server does not answer, up to half a minute, and comes back', async () => {
    live.setVisible(true);
    await settle();
    expect(live.state.value).toBe('disconnected');
    const waits: number[] = [];
    for (let attempt = 0; attempt < 7; attempt++) waits.push(await world.fire());
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16000, 30000, 30000]);
    world.answer = async () => at(6);
    await world.fire();
    world.streams[0]?.on.open();
    expect(live.state.value).toBe('live');
    expect(seen.map((changes) => changes.generation)).toEqual([6]);
    world.answer = () => Promise.reject(new Error('down again'));
    world.streams[0]?.on.error();
    await settle();
    expect(live.state.value).toBe('disconnected');
    expect(live.retryIn.value).toBe(1000); // success had reset the wait
  });

  it('tries at once when the user asks', async () => {
    live.setVisible(true);
    await settle();
    world.answer = async () => at(5);
    live.retry();
    await settle();
    expect(world.streams).toHaveLength(1);
    expect(world.timers.every((timer) => timer.cancelled)).toBe(true);
  });

  it.each([at(2, 'two'), at(5, 'two'), at(50, 'two'), at(4)])(
    'knows nothing of another server process: %j',
    async (answer) => {
      world.answer = async () => answer;
      live.setVisible(true);
      await settle();
      expect(seen).toEqual([{ ...answer, runs: true, series: null }]);
    },
  );
});
