import { beforeEach, describe, expect, it, vi } from 'vitest';
import { startView } from '../state/browser';
import { Page } from '../state/page';
import { SavedViews } from './saved_views';

const answer = (status: number, body: unknown): Response => new Response(JSON.stringify(body), { status });

/** A host that keeps entries, or saves nothing. */
function hostOf(writable: boolean): typeof fetch {
  const values = new Map<string, { version: string; value: unknown }>();
  let count = 0;
  return (async (url: string, { method = 'GET', body = '' }: { method?: string; body?: string } = {}) => {
    const { searchParams: query } = new URL(url);
    const list = [...values].map(([name, { version }]) => ({ name, version }));
    const found = values.get(query.get('name') ?? '');
    if (method === 'GET' && query.has('name'))
      return found
        ? answer(200, { name: query.get('name'), ...found })
        : answer(404, { error: '', code: 'unknown_saved' });
    if (method === 'GET')
      return answer(200, { generation: ++count, writable, token: 't', damage: null, entries: list });
    const given = (method === 'PUT' ? JSON.parse(body) : Object.fromEntries(query)) as Record<string, unknown>;
    const name = String(given['name']);
    if ((values.get(name)?.version ?? null) !== given['version'])
      return answer(409, { error: '', code: 'saved_changed', details: { name } });
    if (method === 'PUT') values.set(name, { version: String(++count), value: given['value'] });
    else values.delete(name);
    return answer(200, { name, version: values.get(name)?.version ?? null });
  }) as typeof fetch;
}

describe.each([
  ['host', true],
  ['browser', false],
])('views that the %s keeps', (place, writable) => {
  let page: Page;
  let views: SavedViews;
  const names = (): unknown => views.list.value?.map(({ name, isStart }) => (isStart ? `${name} *` : name));
  const listed = (name: string): NonNullable<typeof views.list.value>[number] => {
    const found = views.list.value?.find((view) => view.name === name);
    if (!found) throw new Error(`${name} is not listed`);
    return found;
  };

  beforeEach(async () => {
    localStorage.clear();
    document.head.innerHTML = `<script type="application/json" id="start">{"logs":"these"}</script>`;
    vi.stubGlobal('fetch', hostOf(writable));
    page = new Page();
    page.url.replaceAll(
      new Map([
        ['runs', 'a'],
        ['theme', 'dark'],
      ]),
    );
    views = new SavedViews(page, undefined);
    await vi.waitFor(() => expect(names()).toEqual([]));
  });

  it('are saved without what belongs to the reader, opened, and told from what was changed since', async () => {
    await views.save('one');
    expect(listed('one').shelf.place).toBe(place);
    expect(views.isUnchanged()).toBe(true);
    page.url.replaceAll(
      new Map([
        ['runs', 'b'],
        ['scalar.x', 'wall'],
        ['theme', 'light'],
      ]),
    );
    expect(views.isUnchanged()).toBe(false);
    await views.open(listed('one'));
    expect([...page.url.all()]).toEqual([
      ['theme', 'light'],
      ['runs', 'a'],
    ]);
    expect(views.isUnchanged()).toBe(true);
  });

  it('are replaced after a warning only, if somebody else was faster', async () => {
    await views.save('one');
    const other = new SavedViews(page, undefined);
    await vi.waitFor(() => expect(other.list.value).toHaveLength(1));
    await other.open(listed('one'));
    page.url.set('runs', 'theirs');
    await other.save('one');
    page.url.set('runs', 'mine');
    await expect(views.save('one')).rejects.toMatchObject({ code: 'saved_changed' });
    expect((await views.shelf.value.get('one'))?.state).toEqual({ runs: 'theirs' });
    await views.host.refresh();
    await views.save('one');
    expect((await views.shelf.value.get('one'))?.state).toEqual({ runs: 'mine' });
  });

  it('keep their place as the first view when they get another name, and come back after a removal', async () => {
    await views.save('one');
    await views.toggleStart(listed('one'));
    expect(names()).toEqual(['one *']);
    await views.rename(listed('one'), 'two');
    expect(names()).toEqual(['two *']);
    await views.save('three');
    await expect(views.rename(listed('three'), 'two')).rejects.toThrow('There is a view “two” already');
    await views.remove(listed('three'));
    const undo = await views.remove(listed('two'));
    expect(names()).toEqual([]);
    await undo();
    expect(names()).toEqual(['two *']);
    await views.toggleStart(listed('two'));
    expect(names()).toEqual(['two']);
  });

  it('may be called like a member of every object', async () => {
    for (const name of ['constructor', '__proto__']) {
      await views.save(name);
      expect((await views.shelf.value.get(name))?.state).toEqual({ runs: 'a' });
      await views.remove(listed(name));
      expect(await views.shelf.value.get(name)).toBeNull();
    }
  });

  it('go to a file and come back under free names', async () => {
    await views.save('one');
    await views.duplicate(listed('one'));
    expect(names()).toEqual(['one', 'one (2)']);
    const file = await (await views.exported(views.list.value ?? [])).text();
    expect(await views.imported(file)).toBe(2);
    expect(names()).toEqual(['one', 'one (2)', 'one (3)', 'one (4)']);
    for (const bad of [
      '',
      '[]',
      '{"insight_host_views":1,"views":[null]}',
      '{"insight_host_views":1,"views":[{"name":"a","state":{"x":1}}]}',
    ])
      await expect(views.imported(bad)).rejects.toThrow('holds no views');
  });
});

it('a view that a full browser cannot keep is not shown as saved', async () => {
  localStorage.clear();
  vi.stubGlobal('fetch', hostOf(false));
  const views = new SavedViews(new Page(), undefined);
  await vi.waitFor(() => expect(views.list.value).toEqual([]));
  const setItem = (): void => {
    throw new DOMException('full', 'QuotaExceededError');
  };
  vi.stubGlobal('localStorage', { getItem: () => null, setItem });
  try {
    await expect(views.save('one')).rejects.toThrow('This browser could not store the view');
    expect(views.list.value).toEqual([]);
  } finally {
    vi.unstubAllGlobals();
  }
});

it('a page without a hash begins with the view of this browser, else with that of the host', () => {
  localStorage.clear();
  document.head.innerHTML =
    '<script type="application/json" id="start">' +
    '{"logs":"these","view":{"name":"h","state":{"runs":"a"}}}</script>';
  expect(startView()).toEqual({ name: 'h', state: { runs: 'a' } });
  const mine = { views: { m: { runs: 'b' } }, start: 'm' };
  localStorage.setItem('insight-host.views.others', JSON.stringify(mine));
  expect(startView()?.name).toBe('h');
  localStorage.setItem('insight-host.views.these', JSON.stringify(mine));
  expect(startView()).toEqual({ name: 'm', state: { runs: 'b' } });
  localStorage.setItem('insight-host.views.these', '{"start":"gone"}');
  expect(startView()?.name).toBe('h');
});
