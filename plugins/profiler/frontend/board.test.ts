import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fakeContext, type FakeContext } from '@insight-host/kit/testing';
import { Page } from '@insight-host/kit';
import { profilerParts, type ProfilerParts } from './board';
import type { ProfileAnswer, ProfileInfo } from './answers/profile';
import { profileAnswer, profileInfo } from './testing';

const [OLD, NEW, OTHER] = [
  profileInfo('a', 'old', { wall_time: 1 }),
  profileInfo('a', 'new', { wall_time: 2 }),
  profileInfo('b', 'other', { wall_time: 3 }),
];
let listing: ProfileInfo[];
let answers: Record<string, Partial<ProfileAnswer>>;
let asked: string[];
let context: FakeContext;
let board: ProfilerParts;

beforeEach(() => {
  vi.useFakeTimers();
  listing = [NEW, OLD];
  answers = {};
  asked = [];
});
afterEach(() => {
  board.page.dispose();
  vi.useRealTimers();
});

async function start(address: Readonly<Record<string, string>> = {}): Promise<void> {
  context = fakeContext(['a', 'b'], {
    json: async (route, query) => {
      if (route === 'profiles') return { profiles: listing };
      asked.push(String(query['profile']));
      const info = listing.find(({ run, profile }) => run === query['run'] && profile === query['profile']);
      if (!info) throw new Error('unknown profile');
      return profileAnswer(info, answers[info.profile]);
    },
  });
  context.address.value = new Map(Object.entries(address));
  board = profilerParts(new Page(context));
  await vi.advanceTimersByTimeAsync(1);
}

test('the newest profile of the selected runs is in front, and stays there when a newer one comes', async () => {
  await start();
  expect(board.profiles.profile.value?.profile).toBe('new');
  listing = [OTHER, NEW, OLD];
  context.changes.value = { generation: 1, series: null };
  await vi.advanceTimersByTimeAsync(2000);
  expect(board.profiles.listed.value).toHaveLength(3);
  expect(board.profiles.profile.value?.profile).toBe('new');
  context.runs.select(['b']);
  await vi.advanceTimersByTimeAsync(1);
  expect(board.profiles.profile.value?.profile).toBe('other');
});

test('an address names a profile, and a view where there is one', async () => {
  await start({ run: 'a', profile: 'old', view: 'operators', steps: '2-3' });
  expect(board.profiles.profile.value?.profile).toBe('old');
  expect(board.navigation.view.value).toBe('operators');
  expect(board.stepsQuery.value).toBe('2-3');
  board.navigation.wanted.set('kernels');
  expect(board.navigation.view.value).toBe('overview'); // it has none
});

test('a profile that is being read is asked for until it is read', async () => {
  answers['new'] = { state: 'reading', read: 100, complete: false, views: [] };
  await start();
  expect(board.profiles.profile.value?.state).toBe('reading');
  expect(board.navigation.view.value).toBeNull();
  answers['new'] = { state: 'reading', read: 500, complete: false, version: 2 };
  await vi.advanceTimersByTimeAsync(500);
  expect(board.profiles.profile.value?.version).toBe(2);
  expect(board.navigation.view.value).toBe('overview');
  answers['new'] = {};
  await vi.advanceTimersByTimeAsync(500);
  expect(board.profiles.profile.value?.complete).toBe(true);
  const before = asked.length;
  await vi.advanceTimersByTimeAsync(5000);
  expect(asked).toHaveLength(before);
});

test('nothing is asked while another tab is in front', async () => {
  answers['new'] = { state: 'reading', complete: false };
  await start();
  context.visible.value = false;
  await vi.advanceTimersByTimeAsync(600);
  const before = asked.length;
  await vi.advanceTimersByTimeAsync(5000);
  expect(asked).toHaveLength(before);
  context.visible.value = true;
  await vi.advanceTimersByTimeAsync(1);
  expect(asked.length).toBeGreaterThan(before);
});

test('another profile begins with all steps and no operator; two that are compared change places', async () => {
  listing = [NEW, OLD];
  await start({ steps: '4', operator: 'x;y;~;~' });
  board.navigation.open(OLD);
  await vi.advanceTimersByTimeAsync(1);
  expect(board.profiles.profile.value?.profile).toBe('old');
  expect(board.steps.value).toBeNull();
  expect(board.opened.value).toEqual([]);
  board.navigation.compareWith(NEW);
  expect(board.navigation.view.value).toBe('compare');
  board.navigation.swap();
  await vi.advanceTimersByTimeAsync(1);
  expect([board.profiles.profile.value?.profile, board.profiles.base.value?.profile]).toEqual(['new', 'old']);
});

test('to open a profile of another run asks for no third one', async () => {
  listing = [OTHER, NEW, OLD, profileInfo('b', 'wanted', { wall_time: 0 })];
  await start({ run: 'a', profile: 'old' });
  asked = [];
  board.navigation.open({ run: 'b', profile: 'wanted' });
  await vi.advanceTimersByTimeAsync(600);
  expect([...new Set(asked)]).toEqual(['wanted']);
});

test('advice leads to a view with what it is about', async () => {
  await start();
  board.navigation.go('operators', {
    side: 'host',
    by: 'name',
    type: 'Conv2D',
    sort: 'calls',
    order: 'asc',
    steps: '7',
  });
  expect(board.navigation.view.value).toBe('operators');
  expect([board.side.value, board.by.value, board.type.value, board.operators.sort.value]).toEqual([
    'host',
    'name',
    'Conv2D',
    'calls',
  ]);
  expect(board.steps.value).toEqual({ first: 7, last: 7 });
  board.navigation.go('nowhere');
  expect(board.navigation.view.value).toBe('operators');
});

test('the unit of a table is the same whatever it is sorted by', async () => {
  await start();
  expect(board.units.of('operators', 5e6)).toBe('ms');
  expect(board.units.of('operators', 5)).toBe('ms');
  expect(board.units.of('kernels', 5e3)).toBe('us');
  board.units.chosen.set('s');
  expect(board.units.of('operators', 5)).toBe('s');
});
