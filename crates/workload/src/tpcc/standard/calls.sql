-- The calls of the dialect `standard`, in the order of the transaction types.

-- CallNewOrder new_order.call
CALL tpcc_new_order(:warehouse, :district, :customer, :line_count, :is_local, :packed_lines)

-- CallPayment payment.call
CALL tpcc_payment(:warehouse, :district, :buyer_warehouse, :buyer_district, :customer, :is_by_name, :last_name, :amount)

-- CallOrderStatus order_status.call
CALL tpcc_order_status(:warehouse, :district, :customer, :is_by_name, :last_name)

-- CallDelivery delivery.call
CALL tpcc_delivery(:warehouse, :carrier)

-- CallStockLevel stock_level.call
CALL tpcc_stock_level(:warehouse, :district, :threshold)
