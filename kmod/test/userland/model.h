/* SPDX-License-Identifier: GPL-2.0 */
/* Two users, a driver and its engine: what explore.c and the fuzzer of records act on. */
#ifndef OUTBOARD_USERLAND_MODEL_H
#define OUTBOARD_USERLAND_MODEL_H

#include "queue.h"

#define USERS 2
#define SLOTS 2
#define DRIVERS 2

struct world_user {
	struct task_struct task;
	struct mm_struct mm;
	struct user_struct user;
	struct cred cred;
	struct inode inode;
	struct file file;
	struct vm_area_struct vma;
	bool is_open, is_mapped;
};

/* What the driver returns for the next request; then OB_ACCEPTS again. */
extern int world_answer;
/* Whether an allocation fails, and what user space writes over what the module has read. */
extern bool world_no_memory, world_changes_slots;
extern struct world_user world_users[USERS];
extern struct eventfd_ctx world_events[2];

/* Of the test: called before the process ends. */
void world_failed(void);

void world_begin(void);
/* Ends all requests and closes all. Each count is zero then. */
void world_end(void);
/* What holds between any two operations. */
void world_check(void);

struct outboard_slot *world_slot(unsigned int user, unsigned int slot);
struct outboard_arena *world_arena(unsigned int user);
/* A valid request of a session in a slot. */
void world_fill(unsigned int user, unsigned int slot, u32 session);
int world_write(unsigned int user, const void *record, size_t size);
int world_submit(unsigned int user, u16 op, u16 flags, u32 first, u32 count);
int world_session(unsigned int user, u32 number, u16 driver, u16 algorithm);
void world_unmap(unsigned int user);
void world_close(unsigned int user);
/* Completes a request that the driver has: the oldest one is 0. Returns whether there is one. */
bool world_complete(unsigned int index, int error);
/* Completes the request that was completed last once more, which is the driver's defect. */
void world_complete_again(void);
void world_run_work(void);
/* Lets jiffies pass, one tick of the module after the other. */
void world_wait(unsigned long ticks);

#endif
