import { beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeContext } from '@insight-host/kit/testing';
import { Frames, type PictureQuery } from './frames';

const never = new AbortController().signal;
const picture = (name: string): PictureQuery => ({ route: name as 'image', query: {} });

describe('frames', () => {
  let frames: Frames;
  let asked: string[];
  /** The answer of the host, asked why there is no picture: an error of this status, code and text. */
  let failure: readonly [status: number, code: string, text: string];
  let questions: number;
  /** What becomes of the next image elements: a size, or no picture. */
  let size: number | null;

  beforeEach(() => {
    questions = 0;
    const json = (): Promise<never> => {
      const [status, code, text] = failure;
      questions++;
      return Promise.reject(Object.assign(new Error(text), { status, code }));
    };
    frames = new Frames(fakeContext(['a'], { json }));
    asked = [];
    size = 100;
    vi.stubGlobal(
      'Image',
      class {
        naturalWidth = size ?? 0;
        naturalHeight = size ?? 0;
        set src(url: string) {
          if (url) asked.push(url);
        }
        decode = async (): Promise<void> => {
          if (size === null) throw new Error('EncodingError');
        };
      },
    );
  });

  it('fetches a picture once', async () => {
    const first = await frames.load(picture('one'), never, 'broken');
    expect([first.width, first.height, first.reduced]).toEqual([100, 100, false]);
    expect(await frames.load(picture('one'), never, 'broken')).toBe(first);
    expect(asked).toEqual(['one']);
  });

  it('fetches what is expected once, also when it is wanted meanwhile', async () => {
    const coming = frames.expect(picture('one'), 'broken');
    const [frame] = await Promise.all([
      frames.load(picture('one'), never, 'broken'),
      coming,
      frames.expect(picture('one'), 'broken'),
    ]);
    expect([frame.url, asked]).toEqual(['one', ['one']]);
  });

  it('forgets what was not looked at the longest, by the size of the pictures', async () => {
    size = 2500; // 25 MB each, of 96 MiB
    for (const name of ['1', '2', '3', '4']) await frames.load(picture(name), never, 'broken');
    expect(['1', '2', '3', '4'].map((name) => frames.find(name) !== undefined)).toEqual([true, true, true, true]);
    frames.find('1');
    await frames.load(picture('5'), never, 'broken');
    expect(['1', '2', '3', '4', '5'].map((name) => frames.find(name) !== undefined)).toEqual([
      true,
      false,
      true,
      true,
      true,
    ]);
  });

  it("says the host's reason in the language of the page, and asks again only when told to", async () => {
    size = null;
    failure = [422, 'undecodable', '无法解码：record 3'];
    await expect(frames.load(picture('bad'), never, 'broken')).rejects.toThrow('无法解码：record 3');
    await expect(frames.load(picture('bad'), never, 'broken')).rejects.toThrow('无法解码：record 3');
    await frames.expect(picture('bad'), 'broken');
    expect([asked, questions]).toEqual([['bad'], 1]);
    frames.forget(picture('bad'));
    size = 10;
    expect((await frames.load(picture('bad'), never, 'broken')).width).toBe(10);
  });

  it('does not remember that the server was away', async () => {
    size = null;
    failure = [503, 'unavailable', 'away'];
    await expect(frames.load(picture('one'), never, 'broken')).rejects.toThrow('away');
    size = 10;
    expect((await frames.load(picture('one'), never, 'broken')).width).toBe(10);
  });

  it('says that the browser cannot decode what the server gives', async () => {
    size = null;
    failure = [200, 'malformed', 'the answer is not JSON'];
    await expect(frames.load(picture('odd'), never, 'broken')).rejects.toThrow('broken');
  });

  it('ends with the wish', async () => {
    size = null;
    const stop = new AbortController();
    stop.abort(new Error('left'));
    await expect(frames.load(picture('one'), stop.signal, 'broken')).rejects.toThrow('left');
  });
});
