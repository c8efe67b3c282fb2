import { signal } from '@preact/signals';
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Choice, Select } from './choice';
import type { Setting } from './page';

const host = document.createElement('div');
const all = <E extends Element>(selector: string): readonly E[] => [...host.querySelectorAll<E>(selector)];

beforeEach(() => document.body.append(host));
afterEach(() => {
  render(null, host);
  host.remove();
});

describe('a select', () => {
  it('picks values as they are, numbers too', async () => {
    const picked: number[] = [];
    const options = [1, 10].map((value) => ({ value, text: `${value} per second` }));
    await act(() =>
      render(<Select name="speed" label="Speed" value={10} options={options} onPick={(to) => picked.push(to)} />, host),
    );
    const [select] = all<HTMLSelectElement>('select');
    expect([select?.title, select?.textContent]).toEqual(['Speed', '1 per second10 per second']);
    if (select) select.value = '1';
    await act(() => void select?.dispatchEvent(new Event('change', { bubbles: true })));
    expect(picked).toEqual([1]);
  });
});

describe('a choice', () => {
  it('has its words from the catalogue, and a hint where there is one', async () => {
    const texts: Readonly<Record<string, string>> = {
      'view.raw': 'Raw',
      'view.raw.hint': 'As it was written',
      'view.diff': 'Changes',
    };
    const say = (key: string): string => texts[key] ?? key;
    const value = signal<'raw' | 'diff'>('raw');
    const set: Setting<'raw' | 'diff'>['set'] = (to) => void (value.value = to);
    const setting = Object.assign(value, { set });
    await act(() =>
      render(<Choice say={say} name="view" label="View" values={['raw', 'diff']} setting={setting} />, host),
    );
    const buttons = all<HTMLButtonElement>('button');
    expect(buttons.map((button) => [button.textContent, button.title])).toEqual([
      ['Raw', 'As it was written'],
      ['Changes', 'Changes'],
    ]);
    await act(() => buttons[1]?.click());
    expect(value.value).toBe('diff');
    expect(buttons.map((button) => button.getAttribute('aria-checked'))).toEqual(['false', 'true']);
  });
});
