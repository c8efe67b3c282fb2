import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Stage } from './stage';
import type { Zoom } from './viewport';

const size = { width: 400, height: 200 };
const area = { width: 200, height: 100 }; // the picture fits at half its size

describe('fingers on a picture', () => {
  let host: HTMLElement;
  let stage: HTMLElement;
  let zoom: Zoom | null;
  const draw = (): void =>
    void act(() => {
      const onZoom = (next: Zoom | null): void => void (zoom = next);
      render(<Stage element={null} size={size} zoom={zoom} onZoom={onZoom} wheel={false} label="" />, host);
    });
  const finger = (type: string, pointerId: number, clientX: number, clientY = 50): void => {
    const event = new MouseEvent(type, { clientX, clientY, button: 0, bubbles: true, cancelable: true });
    stage.dispatchEvent(Object.assign(event, { pointerId, pointerType: 'touch' }));
    draw();
  };
  beforeEach(() => {
    host = document.body.appendChild(document.createElement('div'));
    zoom = null;
    for (const [key, value] of [
      ['clientWidth', area.width],
      ['clientHeight', area.height],
    ] as const)
      Object.defineProperty(HTMLElement.prototype, key, { configurable: true, get: () => value });
    HTMLElement.prototype.setPointerCapture = () => undefined;
    HTMLElement.prototype.hasPointerCapture = () => false;
    draw();
    stage = host.firstElementChild as HTMLElement;
  });
  afterEach(() => {
    render(null, host);
    host.remove();
    for (const key of ['clientWidth', 'clientHeight', 'setPointerCapture', 'hasPointerCapture'])
      Reflect.deleteProperty(HTMLElement.prototype, key);
  });

  it('enlarge what is between them, from the picture as it fits', () => {
    finger('pointerdown', 1, 90);
    finger('pointermove', 1, 80);
    expect(zoom).toBeNull(); // all of it is seen: one finger moves nothing
    finger('pointerdown', 2, 120);
    finger('pointermove', 2, 160);
    finger('pointermove', 1, 40);
    expect(zoom).toEqual({ scale: 1.5, x: 0.5, y: 0.5 });
  });

  it('go on where the first ones left it, and one moves what is enlarged', () => {
    zoom = { scale: 2, x: 0.5, y: 0.5 };
    draw();
    finger('pointerdown', 1, 100);
    finger('pointermove', 1, 60);
    expect(zoom).toEqual({ scale: 2, x: 0.55, y: 0.5 });
    finger('pointerup', 1, 60);
    finger('pointerdown', 1, 80);
    finger('pointerdown', 2, 120);
    finger('pointermove', 2, 100);
    expect((zoom as Zoom | null)?.scale).toBe(1);
  });

  it('give back what was, when Escape is pressed', () => {
    finger('pointerdown', 1, 80);
    finger('pointerdown', 2, 120);
    finger('pointermove', 2, 200);
    expect(zoom).not.toBeNull();
    dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
    expect(zoom).toBeNull();
  });
});
