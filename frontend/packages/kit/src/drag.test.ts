import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { drag, type Drag } from './drag';

describe('a drag', () => {
  let element: HTMLElement;
  let said: string[];
  const at = (type: string, clientX: number, pointerId = 1): void =>
    void element.dispatchEvent(Object.assign(new MouseEvent(type, { clientX, clientY: 0, button: 0 }), { pointerId }));
  const begin = (more: Partial<Drag> = {}): void => {
    element.addEventListener(
      'pointerdown',
      (event) =>
        drag(event as PointerEvent, {
          move: (_, dx) => void said.push(`by ${dx}`),
          end: (_, moved) => void said.push(moved ? 'moved' : 'clicked'),
          cancel: () => void said.push('cancelled'),
          ...more,
        }),
      { once: true },
    );
    at('pointerdown', 10);
  };
  beforeEach(() => {
    element = document.body.appendChild(document.createElement('div'));
    element.setPointerCapture = () => undefined;
    element.hasPointerCapture = () => false;
    said = [];
  });
  afterEach(() => element.remove());

  it('tells how far the pointer is from where it was pressed, until it is released', () => {
    begin();
    at('pointermove', 15);
    at('pointermove', 40, 2); // another finger
    at('pointerup', 15);
    at('pointermove', 90);
    expect(said).toEqual(['by 5', 'moved']);
  });

  it('is a click within the slop', () => {
    begin({ slop: 4 });
    at('pointermove', 12);
    at('pointerup', 12);
    expect(said).toEqual(['clicked']);
  });

  it('ends with Escape, which nothing else gets', () => {
    const pressed: string[] = [];
    const listen = (event: KeyboardEvent): void => void pressed.push(event.key);
    document.addEventListener('keydown', listen);
    begin();
    at('pointermove', 15);
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    at('pointerup', 15);
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    document.removeEventListener('keydown', listen);
    expect([said, pressed]).toEqual([['by 5', 'cancelled'], ['Escape']]);
  });

  it('is cancelled when the browser takes the pointer', () => {
    begin();
    at('pointercancel', 10);
    at('pointermove', 20);
    expect(said).toEqual(['cancelled']);
  });
});
