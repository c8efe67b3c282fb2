import { afterEach, describe, expect, it, vi } from 'vitest';
import { addressOf, FrameChannel, placeIn } from './frames';

interface Told {
  readonly type: string;
  readonly id: number;
  readonly payload?: unknown;
  readonly error?: string | null;
  readonly isReply: boolean;
}

describe('the channel to a guest', () => {
  let guest: MessagePort;
  let heard: Told[];
  const connected = (answers: Record<string, () => unknown>): FrameChannel => {
    const { port1, port2 } = new MessageChannel();
    guest = port1;
    heard = [];
    guest.onmessage = ({ data }) => heard.push(JSON.parse(String(data)) as Told);
    const channel = new FrameChannel(answers);
    channel.connect(port2);
    return channel;
  };
  const ask = async (message: unknown): Promise<Told | undefined> => {
    guest.postMessage(typeof message === 'string' ? message : JSON.stringify(message));
    await vi.waitFor(() => expect(heard).not.toHaveLength(0));
    return heard.shift();
  };
  afterEach(() => guest.close());

  it('answers under the type and id of the question', async () => {
    connected({ 'experimental.GetRuns': () => ['a', 'b'] });
    const question = { type: 'experimental.GetRuns', id: 7, payload: null, error: null, isReply: false };
    expect(await ask(question)).toEqual({
      type: 'experimental.GetRuns',
      id: 7,
      payload: ['a', 'b'],
      error: null,
      isReply: true,
    });
  });

  it('answers null to what nobody knows, also to names of every object', async () => {
    connected({});
    for (const type of ['experimental.Unknown', 'toString', 'constructor']) {
      expect(await ask({ type, id: 1, isReply: false })).toEqual({
        type,
        id: 1,
        payload: null,
        error: null,
        isReply: true,
      });
    }
  });

  it('says why it has no answer', async () => {
    connected({
      a: () => {
        throw new Error('no runs');
      },
    });
    expect(await ask({ type: 'a', id: 0, isReply: false })).toMatchObject({
      payload: null,
      error: 'Error: no runs',
      isReply: true,
    });
  });

  it('ignores replies and malformed messages', async () => {
    const answer = vi.fn(() => 1);
    connected({ a: answer });
    for (const nonsense of ['{', 'null', '3', '{"type":1}', '{"type":"a","id":4,"isReply":true}'])
      guest.postMessage(nonsense);
    expect(await ask({ type: 'a', id: 5, isReply: false })).toMatchObject({ id: 5 });
    expect(answer).toHaveBeenCalledTimes(1);
  });

  it('numbers what it tells, and talks to the newest port only', async () => {
    const channel = connected({});
    channel.tell('experimental.RunsChanged', ['a']);
    channel.tell('experimental.DataReloaded');
    await vi.waitFor(() => expect(heard).toHaveLength(2));
    expect(heard).toEqual([
      { type: 'experimental.RunsChanged', id: 0, payload: ['a'], error: null, isReply: false },
      { type: 'experimental.DataReloaded', id: 1, error: null, isReply: false },
    ]);
    const before = heard;
    const { port1, port2 } = new MessageChannel();
    const later: string[] = [];
    port1.onmessage = ({ data }) => later.push((JSON.parse(String(data)) as Told).type);
    channel.connect(port2);
    channel.tell('experimental.RunsChanged', []);
    await vi.waitFor(() => expect(later).toEqual(['experimental.RunsChanged']));
    expect(before).toHaveLength(2);
    port1.close();
    channel.close();
    channel.tell('experimental.RunsChanged', []); // into the void, without an error
  });
});

const BASE = 'http://host/a/tensorboard/';

describe('the place of a frame', () => {
  it.each(['#timeseries', '?tagFilter=loss%7Cacc&runFilter=lr%3D0.1#scalars&regexInput=b%20c', '?smoothing=0.9', ''])(
    'comes back as it went, whatever the theme: %j',
    (place) => {
      for (const mode of ['light', 'dark'] as const) {
        const url = new URL(addressOf(BASE, place, mode));
        expect(url.searchParams.get('darkMode')).toBe(String(mode === 'dark'));
        expect(placeIn(url)).toBe(place);
      }
    },
  );

  it('has one theme: that of the page', () => {
    expect(addressOf(BASE, '?darkMode=true&x=1#text', 'light')).toBe(`${BASE}?darkMode=false&x=1#text`);
  });

  it.each([
    '//elsewhere.example/',
    'javascript:alert(1)',
    '../../data/runs',
    'https://elsewhere.example',
    '\\\\elsewhere.example',
    '@elsewhere.example',
  ])('leads nowhere else: %s', (place) => {
    const url = new URL(addressOf(BASE, place, 'light'));
    expect(url.origin + url.pathname).toBe(BASE);
  });
});
