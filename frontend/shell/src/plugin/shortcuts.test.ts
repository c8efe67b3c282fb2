import { describe, expect, it, vi } from 'vitest';
import { keyMatches, Shortcuts } from './shortcuts';

const key = (name: string, more: KeyboardEventInit = {}): KeyboardEvent =>
  new KeyboardEvent('keydown', { key: name, cancelable: true, ...more });

describe('shortcuts', () => {
  it.each([
    ['k', key('k'), true],
    ['k', key('K', { shiftKey: true }), false],
    ['k', key('k', { ctrlKey: true }), false],
    ['Mod+k', key('k', { ctrlKey: true }), true],
    ['Shift+F', key('F', { shiftKey: true }), true],
    ['?', key('?', { shiftKey: true }), true],
    ['+', key('+', { shiftKey: true }), true],
    ['Backspace', key('Backspace'), true],
    ['Backspace', key('Backspace', { altKey: true }), false],
  ])('%s', (name, event, expected) => {
    expect(keyMatches(name, event)).toBe(expected);
  });

  it('belong to the plugin in front and end when disposed', () => {
    const shortcuts = new Shortcuts();
    const run = vi.fn();
    const end = shortcuts.add({ key: 'b', description: '', run, owner: 'scalar' });
    shortcuts.press(key('b'), 'image', false);
    expect(run).not.toHaveBeenCalled();
    shortcuts.press(key('b'), 'scalar', false);
    expect(run).toHaveBeenCalledTimes(1);
    end();
    shortcuts.press(key('b'), 'scalar', false);
    expect(run).toHaveBeenCalledTimes(1);
  });

  it('leave typing, dialogs and handled keys alone', () => {
    const shortcuts = new Shortcuts();
    const run = vi.fn();
    const always = vi.fn();
    shortcuts.add({ key: 'b', description: '', run, owner: '' });
    shortcuts.add({ key: 'Mod+k', description: '', run: always, owner: '', always: true });
    const input = document.body.appendChild(document.createElement('input'));
    input.addEventListener('keydown', (event) => shortcuts.press(event, '', false));
    input.dispatchEvent(key('b'));
    shortcuts.press(key('b'), '', true);
    const handled = key('b');
    handled.preventDefault();
    shortcuts.press(handled, '', false);
    expect(run).not.toHaveBeenCalled();
    input.dispatchEvent(key('k', { ctrlKey: true }));
    expect(always).toHaveBeenCalledTimes(1);
    input.type = 'range';
    input.dispatchEvent(key('b'));
    expect(run).toHaveBeenCalledTimes(1);
  });

  it('leave a slider its arrows and a button its space bar', () => {
    const shortcuts = new Shortcuts();
    const run = vi.fn();
    for (const name of ['ArrowLeft', ' ']) shortcuts.add({ key: name, description: '', run, owner: '' });
    const slider = Object.assign(document.body.appendChild(document.createElement('input')), { type: 'range' });
    const button = document.body.appendChild(document.createElement('button'));
    for (const element of [slider, button]) element.onkeydown = (event) => shortcuts.press(event, '', false);
    slider.dispatchEvent(key('ArrowLeft'));
    button.dispatchEvent(key(' '));
    expect(run).not.toHaveBeenCalled();
    button.dispatchEvent(key('ArrowLeft'));
    slider.dispatchEvent(key(' '));
    expect(run).toHaveBeenCalledTimes(2);
  });
});
