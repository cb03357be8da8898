// SPDX-License-Identifier: GPL-2.0
/*
 * An arena consists of pages that the module allocates and maps once: a header, the table of slots
 * and the data. User space may write all of it at any time. The module reads only slots, each once
 * when it is submitted.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "outboard.h"

#define SLOTS_PER_PAGE	(PAGE_SIZE / sizeof(struct outboard_slot))
#define LARGEST_ORDER	8
#define LARGEST_ARENA	SZ_1G

/* What a slot can hold on to: a request with its driver's context, and a scatter list. */
#define OB_SLOT_BYTES 4096

static void ob_arena_release(struct work_struct *work)
{
	struct ob_arena *arena = container_of(work, struct ob_arena, release);
	struct ob_file *file = arena->file;

	if (arena->places)
		for (u32 i = 0; i < arena->slots; i++)
			ob_request_free(arena->places[i].request);
	if (arena->pages)
		for (unsigned long i = 0; i < arena->page_count && arena->pages[i].page; i++) {
			/* Plaintext and ciphertext of the program. */
			clear_highpage(arena->pages[i].page);
			__free_page(arena->pages[i].page);
			cond_resched();
		}
	kvfree(arena->places);
	kvfree(arena->pages);
	ob_memory_uncharge(file->user, arena->cred, arena->charged);
	mmdrop(arena->mm);
	kfree_rcu(arena, rcu);
	atomic_dec(&ob_arenas);
	ob_file_put(file);
}

/* Only for the address space that mapped the arena: another one does not have its slots. */
struct ob_arena *ob_arena_get(struct ob_file *file, u32 id)
{
	struct ob_arena *arena;

	guard(rcu)();
	arena = xa_load(&file->arenas, id - file->first_arena);
	if (!arena || arena->mm != current->mm || !refcount_inc_not_zero(&arena->refs))
		return NULL;
	return arena;
}

void ob_arena_put(struct ob_arena *arena)
{
	if (refcount_dec_and_test(&arena->refs))
		ob_arena_release(&arena->release);
}

/*
 * Allocates in large orders so that scatter lists have few entries, and splits the pages so that
 * they can be mapped one by one.
 */
static int ob_arena_pages(struct ob_arena *arena)
{
	/* Fails rather than make the OOM killer choose another process. */
	gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN | __GFP_RETRY_MAYFAIL |
		    (READ_ONCE(ob_dma32) ? __GFP_DMA32 : 0);
	unsigned int order = LARGEST_ORDER;
	unsigned long i = 0;

	while (i < arena->page_count) {
		struct page *page;

		order = min_t(unsigned int, order, ilog2(arena->page_count - i));
		page = alloc_pages(order ? (gfp & ~__GFP_RETRY_MAYFAIL) | __GFP_NORETRY : gfp,
				   order);
		if (!page) {
			if (!order--)
				return -ENOMEM;
			continue;
		}
		split_page(page, order);
		for (unsigned int n = 1U << order; n; n--, i++)
			arena->pages[i] = (struct ob_page){ page++, n };
		/* Where memory is short, each page takes long. */
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

static struct ob_arena *ob_arena_new(struct ob_file *file, u32 slots, u32 size)
{
	struct ob_arena *arena = kzalloc(sizeof(*arena), GFP_KERNEL_ACCOUNT);
	const struct cred *cred;
	int error;

	if (!arena)
		return ERR_PTR(-ENOMEM);
	arena->charged = size + (u64)slots * OB_SLOT_BYTES;
	cred = ob_memory_charge(file->user, arena->charged);
	if (IS_ERR(cred)) {
		kfree(arena);
		return ERR_CAST(cred);
	}
	refcount_inc(&file->refs);
	atomic_inc(&ob_arenas);
	refcount_set(&arena->refs, 1);
	refcount_set(&arena->maps, 1);
	INIT_WORK(&arena->release, ob_arena_release);
	arena->file = file;
	arena->cred = cred;
	arena->mm = current->mm;
	mmgrab(arena->mm);
	arena->slots = slots;
	arena->size = size;
	arena->data_offset = PAGE_ALIGN((slots + 1) * sizeof(struct outboard_slot));
	arena->page_count = size >> PAGE_SHIFT;
	arena->pages = kvcalloc(arena->page_count, sizeof(*arena->pages), GFP_KERNEL_ACCOUNT);
	arena->places = kvcalloc(slots, sizeof(*arena->places), GFP_KERNEL_ACCOUNT);
	error = arena->pages && arena->places ? ob_arena_pages(arena) : -ENOMEM;
	if (error) {
		ob_arena_release(&arena->release);
		return ERR_PTR(error);
	}
	/* The header occupies the space of one slot. */
	for (u32 i = 1; i <= slots; i++) {
		struct outboard_slot *first = page_address(arena->pages[i / SLOTS_PER_PAGE].page);

		spin_lock_init(&arena->places[i - 1].lock);
		arena->places[i - 1].slot = first + i % SLOTS_PER_PAGE;
	}
	return arena;
}

static void ob_arena_header(const struct ob_arena *arena)
{
	struct outboard_arena *header = page_address(arena->pages[0].page);

	BUILD_BUG_ON(sizeof(*header) > sizeof(struct outboard_slot));
	*header = (struct outboard_arena){
		.magic = OUTBOARD_MAGIC,
		.version = OUTBOARD_VERSION,
		.arena = arena->id,
		.slots = arena->slots,
		.slots_offset = sizeof(struct outboard_slot),
		.data_offset = arena->data_offset,
		.data_size = arena->size - arena->data_offset,
		.align = OB_ALIGN,
		.max_length = OB_MAX_LENGTH,
		.max_aad = OB_MAX_AAD,
	};
}

static void ob_vma_open(struct vm_area_struct *vma)
{
	refcount_inc(&((struct ob_arena *)vma->vm_private_data)->maps);
}

static void ob_vma_close(struct vm_area_struct *vma)
{
	struct ob_arena *arena = vma->vm_private_data;

	if (!refcount_dec_and_test(&arena->maps))
		return;
	xa_erase(&arena->file->arenas, arena->id - arena->file->first_arena);
	ob_withdraw(arena);
	ob_arena_put(arena);
}

static vm_fault_t ob_vma_fault(struct vm_fault *vmf)
{
	struct ob_arena *arena = vmf->vma->vm_private_data;

	return vmf_insert_pfn(vmf->vma, vmf->address,
			      page_to_pfn(arena->pages[vmf->pgoff - vmf->vma->vm_pgoff].page));
}

static int ob_vma_may_split(struct vm_area_struct *vma, unsigned long address)
{
	return -EINVAL;
}

static const struct vm_operations_struct ob_vm_ops = {
	.open = ob_vma_open,
	.close = ob_vma_close,
	.fault = ob_vma_fault,
	.may_split = ob_vma_may_split,
};

int ob_mmap(struct file *filp, struct vm_area_struct *vma)
{
	unsigned long size = vma->vm_end - vma->vm_start,
		      slots = vma->vm_pgoff ?: OUTBOARD_DEFAULT_SLOTS;
	struct ob_file *file = filp->private_data;
	struct ob_arena *arena;
	int error;

	if ((vma->vm_flags & (VM_SHARED | VM_READ | VM_WRITE)) != (VM_SHARED | VM_READ | VM_WRITE))
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC)
		return -EPERM;
	if (slots > OUTBOARD_MAX_SLOTS || size > LARGEST_ARENA ||
	    size <= PAGE_ALIGN((slots + 1) * sizeof(struct outboard_slot)))
		return -EINVAL;
	arena = ob_arena_new(file, slots, size);
	if (IS_ERR(arena))
		return PTR_ERR(arena);
	/*
	 * A number is reused only after all others, and the first one is random: no record for an
	 * arena that is gone or of another descriptor refers to this one. Not 0: the first is below
	 * 2^31. Lookups find the arena from here on; its slots are 0, which is not a valid session.
	 */
	error = xa_alloc_cyclic(&file->arenas, &arena->id, arena, XA_LIMIT(1, S32_MAX),
				&file->next_arena, GFP_KERNEL_ACCOUNT);
	if (error < 0) {
		ob_arena_put(arena);
		return error;
	}
	arena->id += file->first_arena;
	ob_arena_header(arena);
	/* VM_PFNMAP makes PTEs special: get_user_pages_fast() refuses these, but ignores VM_IO. */
	vm_flags_mod(vma, VM_IO | VM_PFNMAP | VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP,
		     VM_MAYEXEC);
	vma->vm_private_data = arena;
	vma->vm_ops = &ob_vm_ops;
	return 0;
}
