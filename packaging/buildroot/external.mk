include $(sort $(wildcard $(BR2_EXTERNAL_OUTBOARD_PATH)/package/*/*.mk))
