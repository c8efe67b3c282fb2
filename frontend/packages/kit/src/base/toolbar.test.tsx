import type { Signal } from '@preact/signals';
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, expect, test } from 'vitest';
import { isPhone } from './phone';
import { ToolbarLine } from './toolbar';

const place = document.createElement('div');
const setPhone = (is: boolean): void => void ((isPhone as Signal<boolean>).value = is);
const button = (name: string) => <button data-action={name}>{name}</button>;
const actions = (inside: ParentNode | null): readonly (string | undefined)[] =>
  [...(inside?.querySelectorAll('button') ?? [])].map((one) => one.dataset['action']);

afterEach(() => {
  act(() => render(null, place));
  place.remove();
  setPhone(false);
});

function show(display?: string): void {
  document.body.append(place);
  const parts = { first: button('first'), tools: button('tool'), actions: button('add') };
  act(() => render(<ToolbarLine say={(key) => key} {...parts} display={display && button(display)} />, place));
}

test('all tools are in the line of a wide window, and there is no drawer without settings', () => {
  show();
  expect(actions(place)).toEqual(['first', 'tool', 'add']);
});

test('on a phone what is changed often is in the drawer, above the settings', () => {
  setPhone(true);
  show('setting');
  expect(actions(place)).toEqual(['first', 'add', 'display']);
  HTMLElement.prototype.showPopover ??= () => undefined; // happy-dom has none
  act(() => place.querySelector<HTMLElement>('[data-action=display]')?.click());
  expect(actions(place.querySelector('[role=dialog]'))).toEqual(['tool', 'setting']);
});

test('a window that becomes wide has them in the line again', () => {
  setPhone(true);
  show();
  act(() => setPhone(false));
  expect(actions(place)).toEqual(['first', 'tool', 'add']);
});
