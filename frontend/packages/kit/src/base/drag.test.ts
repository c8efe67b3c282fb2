import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { drag, type Drag } from './drag';

describe('a drag', () => {
  let element: HTMLElement;
  let said: string[];
  let captured: number[];
  const at = (type: string, clientX: number, pointerId = 1): void =>
    void element.dispatchEvent(Object.assign(new MouseEvent(type, { clientX, clientY: 0, button: 0 }), { pointerId }));
  const begin = (more: Partial<Drag> = {}, finger = 1, x = 10): void => {
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
    at('pointerdown', x, finger);
  };
  beforeEach(() => {
    element = document.body.appendChild(document.createElement('div'));
    captured = [];
    element.setPointerCapture = (id) => void captured.push(id);
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

  it('leaves a click within the slop to the element under it', () => {
    begin({ slop: 4 });
    at('pointermove', 12);
    expect(captured).toEqual([]);
    at('pointermove', 15);
    at('pointerup', 15);
    expect(captured).toEqual([1]);
  });

  it('is of two fingers once the second is put down, and ends when one is lifted', () => {
    const pinch: Drag['pinch'] = ({ scale, x, dx }) => void said.push(`${scale} times at ${x}, by ${dx}`);
    begin({ pinch });
    at('pointermove', 20);
    begin({ pinch, slop: 4 }, 2, 40);
    at('pointermove', 60, 2);
    at('pointermove', 40, 1);
    at('pointerup', 40, 1);
    at('pointermove', 90, 2);
    expect(said).toEqual(['by 10', 'cancelled', '2 times at 40, by 10', '1 times at 50, by 20', 'moved']);
  });
});
