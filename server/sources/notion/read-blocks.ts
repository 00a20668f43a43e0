import type { BlockObjectResponse, Client } from '@notionhq/client';
import { SOURCE_LIMITS } from '../../../contract/limits/sources.ts';
import type { SkipCause } from '../document.ts';
import { type Block, NOT_READ } from './blocks.ts';
import { isPageUnreadable, listAll } from './client.ts';

/** Deeper blocks than the editor of Notion makes by hand. */
const DEPTH_MAX = 20;

type ReadBlocks = {
  blocks: readonly Block[];
  /** Ids of the pages inside of the page. */
  pages: readonly string[];
};

/** Reads the blocks of a page, with those inside of others. */
export async function readBlocks(client: Client, pageId: string): Promise<ReadBlocks | SkipCause> {
  const pages: string[] = [];
  let count = 0;
  let excess: SkipCause | undefined;

  async function readChildren(id: string, depth: number): Promise<Block[]> {
    const blocks: Block[] = [];
    if (depth > DEPTH_MAX) excess = { reason: 'too_deep' };
    const list = listAll((cursor) =>
      client.blocks.children.list({ block_id: id, page_size: 100, ...cursor }),
    );
    for await (const { results } of list) {
      count += results.length;
      if (count > SOURCE_LIMITS.pageBlocksMax) excess = { reason: 'too_large', detail: `${count} blocks` };
      for (const block of results as BlockObjectResponse[]) {
        if (excess) return blocks;
        if (block.type === 'child_page') pages.push(block.id);
        const hasContent = block.has_children && !NOT_READ.has(block.type);
        blocks.push({ ...block, children: hasContent ? await readInner(block, depth + 1) : [] });
      }
    }
    return blocks;
  }

  /** A block that shows the content of another one has no content of its own. */
  async function readInner(block: BlockObjectResponse, depth: number): Promise<Block[]> {
    const origin = block.type === 'synced_block' ? block.synced_block.synced_from?.block_id : undefined;
    try {
      return await readChildren(origin ?? block.id, depth);
    } catch (error) {
      // The original stands on a page that is not shared.
      if (origin !== undefined && isPageUnreadable(error)) return [];
      throw error;
    }
  }

  const blocks = await readChildren(pageId, 0);
  return excess ?? { blocks, pages };
}
